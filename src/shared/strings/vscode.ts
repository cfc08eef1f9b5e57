/** What a person reads of the editor's parts outside of the sidebar. */
export const vscodeStrings = {
  'vscode.proposalTitle': ['{name} (proposed by Lathe)', '{name}（Lathe 的提议）'],
  'vscode.cannotOpen': [
    '{path} cannot be opened. It may have been moved or deleted.',
    '无法打开 {path}，可能已被移动或删除。',
  ],
  'vscode.onlyWeb': ['Only http and https links are opened.', '仅打开 http 和 https 链接。'],
  'vscode.noDiff': ['This call changed no file.', '此调用没有更改文件。'],
  'vscode.waiting': ['Lathe waits for you', 'Lathe 正在等待您'],
  'vscode.pickMode': ['Mode for what comes next', '后续使用的模式'],
  'vscode.noDataFolder': [
    'Lathe’s data folder {folder} cannot be used: {reason}. Mend its permissions, or set LATHE_HOME to another folder, then reload the window.',
    '无法使用 Lathe 的数据文件夹 {folder}：{reason}。请修复其权限，或将 LATHE_HOME 设为其他文件夹，然后重新加载窗口。',
  ],
  'vscode.temporaryData': [
    'There is no data folder on this machine: tasks are kept in {folder} and may be lost.',
    '此机器上没有数据文件夹：任务保存在 {folder} 中，可能会丢失。',
  ],
} as const satisfies Record<string, readonly [string, string]>;
