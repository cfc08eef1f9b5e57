/** Where commands run, and what the card of a command says of it. */
export const sandboxStrings = {
  'sandbox.platform': ['There is no sandbox on this system.', '此系统没有可用的沙箱。'],
  'sandbox.noBubblewrap': [
    'The sandbox needs bubblewrap (bwrap), version 0.8 or newer.',
    '沙箱需要 bubblewrap（bwrap）0.8 或更新版本。',
  ],
  'sandbox.refused': ['The sandbox does not start here: {reason}', '沙箱无法在此启动：{reason}'],
  'sandbox.workspace': [
    '{folder} holds your home folder or Lathe’s data: no command is let loose there.',
    '{folder} 包含您的主文件夹或 Lathe 的数据：不会让命令在其中自由运行。',
  ],
  'sandbox.tooLarge': [
    'The workspace holds too many files to look through before each command.',
    '工作区文件过多，无法在每条命令之前检查一遍。',
  ],
  'sandbox.noProgram': ['{program} was not found outside the workspace.', '在工作区之外找不到 {program}。'],
  'sandbox.off': ['The sandbox is switched off.', '沙箱已关闭。'],
  'sandbox.git': [
    'Git’s own folder lies outside the workspace, where the sandbox shows nothing.',
    'Git 自己的文件夹在工作区之外，沙箱中看不到它。',
  ],
} as const satisfies Record<string, readonly [string, string]>;
