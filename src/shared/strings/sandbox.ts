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
  'sandbox.gate': ['{path} is not for tools to read.', '{path} 不允许工具读取。'],
  'danger.rights': [
    '{program} runs what follows with the rights of another user.',
    '{program} 会以其他用户的权限运行后面的内容。',
  ],
  'danger.deletes': ['{program} deletes files for good.', '{program} 会永久删除文件。'],
  'danger.discards': [
    '{program} discards changes that are not committed.',
    '{program} 会丢弃尚未提交的更改。',
  ],
  'danger.disk': ['{program} changes disks or what is mounted.', '{program} 会更改磁盘或挂载。'],
  'danger.system': [
    '{program} stops or changes what runs on this machine.',
    '{program} 会停止或更改本机上运行的程序。',
  ],
  'danger.permissions': [
    '{program} changes who may read, write or run files.',
    '{program} 会更改文件的读写或运行权限。',
  ],
  'danger.network': [
    '{program} talks to other machines and can send data away.',
    '{program} 会与其他机器通信，可能把数据发送出去。',
  ],
  'danger.publishes': ['{program} publishes under your name.', '{program} 会以您的名义发布内容。'],
  'danger.installs': [
    '{program} runs code that the packages bring along.',
    '{program} 会运行软件包附带的代码。',
  ],
  'danger.text': ['{program} runs text that comes from somewhere else.', '{program} 会运行来自别处的文本。'],
  'danger.blanks': [
    'It holds a long run of blanks: what follows is easily overlooked.',
    '其中有一长串空白：后面的内容容易被忽略。',
  ],
  'sandbox.runs.steps': ['Runs in the sandbox, without a shell.', '在沙箱中运行，不经过 shell。'],
  'sandbox.runs.shell': [
    'Runs in the sandbox: it can change this workspace alone.',
    '在沙箱中运行：只能更改此工作区。',
  ],
  'sandbox.runs.freely': ['Runs outside the sandbox, with your rights.', '在沙箱之外运行，拥有您的权限。'],
  'webview.command.parts': ['What it runs', '它会运行什么'],
  'webview.command.part.auto': ['Automatic.', '自动。'],
  'webview.command.part.ask': ['Asks.', '需确认。'],
  'webview.command.part.deny': ['Refused.', '被拒绝。'],
  // Without a space of no width there is no place to break a line between ： and /.
  'webview.command.program': ['Program: {path}', '程序：\u200b{path}'],
  'webview.command.more': ['{count} more {count|part|parts}', '另有 {count} 个部分'],
  'webview.command.sandboxed': ['Ran in the sandbox.', '已在沙箱中运行。'],
  'webview.command.setAside': [
    'It made protected files. They were moved to {folder}: {paths}',
    '它创建了受保护的文件，已移至 {folder}：{paths}',
  ],
  'webview.rule.prefix': ['Run commands that begin with {prefix}', '运行以 {prefix} 开头的命令'],
} as const satisfies Record<string, readonly [string, string]>;
