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
  'vscode.taskDone': ['Lathe has finished a task', 'Lathe 已完成一项任务'],
  'vscode.taskStopped': ['A task of Lathe could not go on', 'Lathe 的一项任务无法继续'],
  'vscode.show': ['Show', '显示'],
  'vscode.writingCommit': ['Lathe writes a commit message', 'Lathe 正在撰写提交消息'],
  'vscode.noGit': [
    'No git repository is open in this window. Open a folder that is in one, and try again.',
    '此窗口中未打开 git 仓库。请打开位于仓库中的文件夹，然后重试。',
  ],
  'vscode.noChanges': [
    'There is no change to write a message for. Hidden files are not looked at.',
    '没有可供撰写消息的更改。隐藏的文件不会被查看。',
  ],
  'vscode.pickMode': ['Mode for what comes next', '后续使用的模式'],
  'vscode.noDataFolder': [
    'Lathe’s data folder {folder} cannot be used: {reason}. Mend its permissions, or set LATHE_HOME to another folder, then reload the window.',
    '无法使用 Lathe 的数据文件夹 {folder}：{reason}。请修复其权限，或将 LATHE_HOME 设为其他文件夹，然后重新加载窗口。',
  ],
  'vscode.temporaryData': [
    'There is no data folder on this machine: tasks are kept in {folder} and may be lost.',
    '此机器上没有数据文件夹：任务保存在 {folder} 中，可能会丢失。',
  ],
  'vscode.modelNotAllowed': [
    'VS Code may not send requests of Lathe to {model}. Allow it with “Manage Language Model Access” in the Accounts menu, or choose another model; the task was kept.',
    'VS Code 未获准将 Lathe 的请求发送给 {model}。请在“帐户”菜单的“管理语言模型访问权限”中允许，或选择其他模型；任务已保留。',
  ],
  'vscode.modelBlocked': [
    '{model} takes no more requests now: {reason} Wait, or choose another model; the task was kept.',
    '{model} 目前不再接受请求：{reason} 请稍候，或选择其他模型；任务已保留。',
  ],
  'vscode.modelFailed': [
    'The editor’s model {model} did not answer: {reason} Retry, or choose another model; the task was kept.',
    '编辑器的模型 {model} 未能回答：{reason} 请重试，或选择其他模型；任务已保留。',
  ],
  'vscode.nothingMeant': [
    'Open a file, or point at one in the explorer, and try again.',
    '请先打开文件，或在资源管理器中选择文件，然后重试。',
  ],
  'vscode.noTerminalSelection': [
    'Nothing is selected in the terminal. Select the lines that you mean, and try again.',
    '终端中未选择任何内容。请选择相关的行，然后重试。',
  ],
  'vscode.fixWithLathe': ['Fix with Lathe', '使用 Lathe 修复'],
  'vscode.explainWithLathe': ['Explain with Lathe', '使用 Lathe 解释'],
  'vscode.explain': ['Explain this:\n\n{subject}', '请解释：\n\n{subject}'],
  'vscode.explainProblems': [
    'Explain these problems in {subject}, and what can be done about them:\n\n{problems}',
    '请解释 {subject} 中的以下问题，以及可以如何解决：\n\n{problems}',
  ],
  'vscode.explainOutput': [
    'Explain this output of my terminal:\n\n{subject}',
    '请解释我的终端中的这段输出：\n\n{subject}',
  ],
  'vscode.fix': [
    'Find out what is wrong here, and fix it:\n\n{subject}',
    '请找出此处的错误并修复：\n\n{subject}',
  ],
  'vscode.fixProblems': [
    'Fix these problems in {subject}:\n\n{problems}',
    '请修复 {subject} 中的以下问题：\n\n{problems}',
  ],
  'vscode.fixOutput': [
    'This came out in my terminal. Find the cause, and fix it:\n\n{subject}',
    '这是我的终端中的输出。请找出原因并修复：\n\n{subject}',
  ],
  'vscode.cannotSave': ['{path} could not be written.', '无法写入 {path}。'],
} as const satisfies Record<string, readonly [string, string]>;
