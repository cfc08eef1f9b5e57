/** What a person reads of the notes on a workspace. */
export const noteStrings = {
  'why.note': ['A note is given to later tasks in this workspace.', '笔记会提供给此工作区以后的任务。'],
  'notes.ask.add': ['Keep this note for later tasks?', '为以后的任务保存此笔记？'],
  'notes.ask.update': ['Put this note in the place of another?', '用此笔记替换原有笔记？'],
  'notes.ask.before': ['Until now:', '原内容：'],
  'notes.ask.delete': ['Forget this note?', '删除此笔记？'],
  'notes.ask.text': ['Note', '笔记'],
  'webview.rule.kind.note': ['Keep notes on this workspace', '保存此工作区的笔记'],
  'webview.tool.memory.base': ['Notes', '笔记'],
  'webview.tool.memory.active': ['Notes', '笔记'],
  'webview.tool.memory.done': ['Notes', '笔记'],

  // The screen
  'webview.modes.tab.notes': ['Notes', '笔记'],
  'webview.notes.text': [
    'What Lathe keeps about this workspace for later tasks. Each of them is given these notes at its start, as notes and not as instructions. They are on this machine, outside of the workspace.',
    'Lathe 为以后的任务保存的关于此工作区的内容。每个任务开始时都会得到这些笔记，仅作参考而非指令。它们保存在本机，位于工作区之外。',
  ],
  'webview.notes.none': [
    'Nothing yet. Add a note, or tell Lathe to remember something.',
    '暂无。您可以添加笔记，或让 Lathe 记住某件事。',
  ],
  'webview.notes.add': ['Add a note', '添加笔记'],
  'webview.notes.new': ['New note', '新笔记'],
  'webview.notes.edit': ['Change the note: {note}', '更改笔记：{note}'],
  'webview.notes.delete': ['Delete the note: {note}', '删除笔记：{note}'],
  'webview.notes.save': ['Save', '保存'],
  'webview.notes.cancel': ['Cancel', '取消'],
  'webview.notes.outside': [
    'Written after content from outside was read (a web page, an MCP server). Later tasks are not given it by themselves; save it to make it yours.',
    '在读取外部内容（网页或 MCP 服务器）之后写入。以后的任务不会自动得到它；保存后即归您所有。',
  ],
  'webview.notes.deleted': ['Deleted: {note}', '已删除：{note}'],
  'webview.notes.undo': ['Undo', '撤销'],
  'webview.notes.open': ['Open the file', '打开文件'],

  // What goes wrong
  'notes.error.noWorkspace': [
    'No folder is open, so there are no notes. Open a folder first.',
    '没有打开文件夹，因此没有笔记。请先打开文件夹。',
  ],
  'notes.error.unknown': [
    'This note is not there any more: it was changed or deleted elsewhere. Nothing was changed; the list shows what there is.',
    '此笔记已不存在：已在别处更改或删除。未做任何更改；列表显示现有的笔记。',
  ],
  'notes.error.twice': ['There is such a note already.', '已有相同的笔记。'],
  'notes.error.empty': [
    'The note is empty. Write something, or delete it.',
    '笔记为空。请输入内容，或将其删除。',
  ],
  'notes.error.unseen': [
    'The note holds characters that cannot be seen. Write it without them.',
    '笔记含有不可见字符。请去掉后再保存。',
  ],
  'notes.error.long': [
    'The note is {detail} characters long; {note} are kept. Shorten it.',
    '笔记长 {detail} 个字符；上限为 {note}。请缩短。',
  ],
  'notes.error.full': [
    'The notes are full: {notes} notes and {characters} characters are kept. Delete one first.',
    '笔记已满：最多 {notes} 条、共 {characters} 个字符。请先删除一条。',
  ],
  'notes.error.unreadable': [
    'The notes cannot be read from {detail}. Nothing was changed. Look at the file, or move it away.',
    '无法从 {detail} 读取笔记。未做任何更改。请检查该文件，或将其移走。',
  ],
  'notes.error.busy': [
    'Another window writes the notes. Nothing was changed; try again.',
    '另一个窗口正在写入笔记。未做任何更改；请重试。',
  ],
  'notes.error.file': [
    'The notes could not be written to {path} ({reason}). What was there is kept. Save the file if it is open, then try again.',
    '无法将笔记写入 {path}（{reason}）。原有内容未变。若该文件已打开，请先保存，然后重试。',
  ],
} as const;
