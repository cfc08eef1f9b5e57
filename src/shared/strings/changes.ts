/** Changing a proposed file where there is no diff editor. */
export const changeStrings = {
  'changes.change': ['Change', '修改'],
  'changes.goOn': ['Go on changing', '继续修改'],
  'changes.text': ['New text of {path}', '{path} 的新内容'],
  'changes.keys': [
    'Ctrl/Cmd+Enter approves what stands here. Escape goes back and keeps it.',
    'Ctrl/Cmd+Enter 批准此处的内容。Esc 返回并保留内容。',
  ],
  'changes.keysDangerous': [
    'Approving this takes a click. Escape goes back and keeps what you wrote.',
    '批准此操作需要点击按钮。Esc 返回并保留内容。',
  ],
  'changes.opening': ['Fetching the proposed text…', '正在获取建议的内容…'],
  'changes.approve': ['Approve this text', '批准此内容'],
  'changes.back': ['Back', '返回'],
  'changes.reset': ['As proposed', '恢复为建议内容'],
  'changes.several': [
    'It changes several files, so here it is approved or rejected as a whole. To have it otherwise, reject it with words.',
    '此操作会更改多个文件，在这里只能整体批准或拒绝。如需不同的更改，请附上说明后拒绝。',
  ],
  'changes.over': ['This proposal does not wait for an answer any more.', '该建议已不再等待答复。'],
  'changes.none': [
    'This proposal cannot be changed here: it is not the text of one file, or an editor shows it. Reject it with words instead.',
    '无法在此处修改该建议：它不是单个文件的文本，或已在编辑器中打开。请附上说明后拒绝。',
  ],
  'changes.tooLarge': [
    '{path} is too large to be changed here: more than {most} characters. Reject it with words, or approve it and change the file yourself.',
    '{path} 过大，无法在此处修改：超过 {most} 个字符。请附上说明后拒绝，或批准后自行修改文件。',
  ],
  'changes.tooLong': [
    'What you wrote has more than {most} characters, so it was not sent. It is still here.',
    '您写的内容超过 {most} 个字符，因此未发送。内容仍保留在此处。',
  ],
  'changes.unused': [
    'Your version of {path} was not written: the proposal was answered otherwise, or the file could not be written.',
    '您的 {path} 版本未写入：该建议已有其他答复，或文件无法写入。',
  ],
  'changes.unusedText': ['Show what you wrote', '显示您写的内容'],
} as const;
