/** What a client of the Agent Client Protocol shows its person. */
export const acpStrings = {
  'acp.allow': ['Allow', '允许'],
  'acp.reject': ['Reject', '拒绝'],
  'acp.allow.file': ['Always allow for this file', '始终允许此文件'],
  'acp.allow.folder': ['Always allow in this folder', '始终允许此文件夹'],
  'acp.allow.kind': ['Always allow in this project', '在此项目中始终允许'],
  'acp.allow.command': ['Always allow this command', '始终允许此命令'],
  'acp.reject.file': ['Never for this file', '始终拒绝此文件'],
  'acp.reject.command': ['Never this command', '始终拒绝此命令'],
  'acp.reject.always': ['Always reject', '始终拒绝'],
  'acp.mode': ['Mode', '模式'],
  'acp.mode.description': ['What Lathe may do, and how it works', 'Lathe 可以做什么，以及如何工作'],
  'acp.model': ['Model', '模型'],
  'acp.model.description': ['Which model answers', '由哪个模型回答'],
  'acp.signIn': ['Model', '模型'],
  'acp.signIn.description': [
    'Lathe has no account of its own. Name a model with LATHE_PROVIDER, LATHE_MODEL and LATHE_API_KEY in the environment of the program, or set one up in the sidebar of VS Code.',
    'Lathe 没有自己的账户。请在本程序的环境变量中用 LATHE_PROVIDER、LATHE_MODEL 和 LATHE_API_KEY 指定模型，或在 VS Code 侧边栏中配置。',
  ],
  'acp.answer': ['Your own answer', '自己的回答'],
  'acp.suggestion': ['Answer', '回答'],
  'acp.error.relativeFolder': [
    'The working directory must be an absolute path; this is not: {path}',
    '工作目录必须是绝对路径：{path}',
  ],
  'acp.error.noFolder': [
    'The working directory does not exist, or is no folder: {path}',
    '工作目录不存在或不是文件夹：{path}',
  ],
  'acp.error.moreFolders': [
    'A session works in one directory here: {paths} cannot be added. What lies there is asked for when it is needed.',
    '此处的会话只在一个目录中工作：无法添加 {paths}。需要其中的内容时会询问。',
  ],
  'acp.error.otherFolder': [
    'This session belongs to another working directory: {path}',
    '此会话属于另一个工作目录：{path}',
  ],
  'acp.error.unknownSession': ['There is no session {id}.', '没有会话 {id}。'],
  'acp.error.unknownMode': [
    'There is no mode {mode}. There are: {modes}',
    '没有模式 {mode}。可用模式：{modes}',
  ],
  'acp.error.unknownOption': ['There is no option {id}.', '没有选项 {id}。'],
  'acp.error.unknownValue': [
    'The option {id} does not take {value}. It takes: {values}',
    '选项 {id} 不接受 {value}。可用值：{values}',
  ],
  'acp.error.unknownSignIn': ['There is no way {id} to sign in.', '没有登录方式 {id}。'],
  'acp.error.cursor': [
    'This cursor is none that was given out. List from the beginning.',
    '无效的游标，请从头列出。',
  ],
  'acp.error.emptyPrompt': ['The prompt is empty.', '提示内容为空。'],
  'acp.error.audio': ['Sound is not understood here. Send it as text.', '不支持音频，请以文字发送。'],
} as const satisfies Record<string, readonly [string, string]>;
