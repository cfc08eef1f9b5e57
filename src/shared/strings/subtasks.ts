/** Subtasks: their card, the way into one and back. */
export const subtaskStrings = {
  'webview.tool.new_task.base': ['Subtask', '子任务'],
  'webview.tool.new_task.active': ['Subtask', '子任务'],
  'webview.tool.new_task.done': ['Subtask', '子任务'],
  'webview.ask.subtask': ['Begin a subtask in the mode {mode}?', '以 {mode} 模式开始子任务？'],
  'webview.subtask.open': ['Open the subtask {title}', '打开子任务 {title}'],
  'webview.subtask.asked': ['What it is to do', '任务内容'],
  'webview.subtask.steps': ['{done} of {all} steps', '第 {done}/{all} 步'],
  'webview.subtask.of': ['Subtask of {title}', '子任务，属于：{title}'],
  'webview.subtask.noParent': [
    'The task that this was a subtask of is deleted.',
    '此子任务所属的任务已被删除。',
  ],
  'webview.subtask.way': ['Way back', '返回'],
  'webview.subtask.asks': ['Asked by the subtask {title}', '由子任务提出：{title}'],
} satisfies Record<string, readonly [string, string]>;
