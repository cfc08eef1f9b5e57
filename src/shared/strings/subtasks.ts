/** Subtasks: their card, the way into one and back, and how others tell of them. */
export const subtaskStrings = {
  'webview.tool.new_task.base': ['Subtask', '子任务'],
  'webview.tool.new_task.active': ['Subtask', '子任务'],
  'webview.tool.new_task.done': ['Subtask', '子任务'],
} satisfies Record<string, readonly [string, string]>;
