/** What the agent itself says to a person. */
export const coreStrings = {
  'why.outsideWorkspace': ['{path} is outside the workspace.', '{path} 在工作区之外。'],
  'why.protected': [
    '{path} is a protected file: changing it can change what runs or what is allowed.',
    '{path} 是受保护的文件：更改它可能会改变运行内容或权限。',
  ],
  'why.secret': [
    '{path} may hold keys or tokens; what is read is sent to the model.',
    '{path} 可能包含密钥或令牌；读取的内容会发送给模型。',
  ],
  'why.kindAsks': ['You have not made this kind of action automatic.', '您尚未将此类操作设为自动。'],
  'why.command': ['Commands always ask.', '命令始终需要确认。'],
  'why.browse': ['Opening pages of a new site asks.', '打开新网站的页面需要确认。'],
  'why.privateNetwork': ['{site} is in your private network.', '{site} 位于您的私有网络中。'],
  'why.afterUntrusted': [
    'Content from outside (a web page, an MCP server) was read since you wrote last: this may be its wish rather than yours.',
    '自您上次发言后读取了外部内容（网页或 MCP 服务器）：此操作可能出于该内容的意图，而不是您的。',
  ],
  'why.denied': ['You have denied this before.', '您之前已拒绝过此操作。'],
  'error.journal': [
    'The task’s journal could not be written: {reason}. Nothing more was done. Free space or check the folder {folder}, then send again.',
    '无法写入任务日志：{reason}。未继续任何操作。请释放空间或检查文件夹 {folder}，然后重新发送。',
  ],
  'error.proxy': [
    'The environment variable {variable} names no proxy that can be used: it must be an address like http://proxy.example:3128. Nothing was sent. Set it right or take it away, then try again.',
    '环境变量 {variable} 指定的代理无法使用：它必须是类似 http://proxy.example:3128 的地址。未发送任何内容。请更正或移除该变量，然后重试。',
  ],
  'error.workspaceGone': [
    'The folder of this task cannot be read: {folder} ({reason}). The task was kept: put the folder back, then send again.',
    '无法读取此任务的文件夹：{folder}（{reason}）。任务已保留：请恢复该文件夹，然后重新发送。',
  ],
  'error.leaseLost': [
    'Another server goes on with this task, or may: the database that says who does could not be asked. What was written is kept.',
    '另一台服务器正在或可能正在继续此任务：无法向数据库确认由谁继续。已写入的内容都已保留。',
  ],
  'error.taskOpenElsewhere': [
    'This task is running in another window (process {pid} on {host}). It can be read here and continued there.',
    '此任务正在另一个窗口中运行（{host} 上的进程 {pid}）。可在此查看，请在那里继续。',
  ],
  'error.internal': [
    'Something went wrong inside Lathe: {reason}. The task was kept; you can send again.',
    'Lathe 内部出错：{reason}。任务已保留，您可以重新发送。',
  ],
  'error.invalidRequest': [
    'The request {method} was not understood: {reason}',
    '无法理解请求 {method}：{reason}',
  ],
  'error.unknownMethod': [
    'This version of Lathe has no request {method}.',
    '此版本的 Lathe 没有请求 {method}。',
  ],
  'error.unknownTask': [
    'There is no task {taskId}. It may have been deleted.',
    '任务 {taskId} 不存在，可能已被删除。',
  ],
  'error.unknownMode': ['There is no mode {mode}.', '没有模式 {mode}。'],
  'error.unknownProfile': ['There is no model profile {name}.', '没有名为 {name} 的模型配置。'],
  'error.noProfile': [
    'No model is set up. Add a key in Settings, choose a model that was found on this machine, or take the tour.',
    '尚未设置模型。请在设置中添加密钥，选择本机上找到的模型，或体验导览。',
  ],
  'error.textRunning': [
    'This text is being written already. Wait for it, or cancel it.',
    '该文本正在生成。请等待其完成，或将其取消。',
  ],
  'error.textStopped': ['The text was not written to its end, and was dropped.', '文本未生成完毕，已放弃。'],
  'error.textEmpty': [
    'The model gave no text. Try again, or choose another model.',
    '模型没有给出文本。请重试，或选择其他模型。',
  ],
  'error.noWorkspace': [
    'Open a folder first: Lathe works in the folder that is open.',
    '请先打开一个文件夹：Lathe 在打开的文件夹中工作。',
  ],
  'error.notTrusted': [
    'This workspace is in Restricted Mode. Trust it to let Lathe work here; until then nothing is started and nothing is sent.',
    '此工作区处于受限模式。请信任它以便 Lathe 工作；在此之前不会启动或发送任何内容。',
  ],
  'error.mistakes': [
    '{count} tool {count|call|calls} in a row failed, and nobody said to go on. Say what to do differently and send again.',
    '连续 {count} 次工具调用失败，且没有继续的指示。请说明该如何调整，然后重新发送。',
  ],
  'error.otherWorkspace': [
    'This task belongs to {folder}. Open that folder to go on with it.',
    '此任务属于 {folder}。请打开该文件夹以继续。',
  ],
  'error.taskExists': ['There is already a task {taskId}.', '任务 {taskId} 已存在。'],
  'error.notQueued': ['This message has gone to the model already.', '这条消息已发送给模型。'],
  'error.unknownMessage': ['There is no message of yours here to go on from.', '此处没有可以继续的消息。'],
  'error.notRunning': ['It is not running any more.', '它已不在运行。'],
  'error.taskRunning': ['This task is running. Stop it first.', '此任务正在运行，请先停止。'],
  'error.noSecretStore': [
    'There is no secret store here. Put the key into the environment (LATHE_API_KEY).',
    '此处没有密钥存储。请将密钥放入环境变量（LATHE_API_KEY）。',
  ],
  'notice.damaged': [
    '{count} damaged {count|line|lines} of this task’s journal {count|was|were} set aside in {file}.',
    '此任务日志中有 {count} 行损坏，已另存到 {file}。',
  ],
  'cli.approve': ['Approve? [y/N, or say what to do instead] ', '批准吗？[y/N，或说明该怎么做] '],
  'cli.goOn': ['Go on? [y/N] ', '继续吗？[y/N] '],
  'cli.finished.max_turn_requests': [
    'The limit of model requests in one turn was reached.',
    '已达到单轮模型请求次数上限。',
  ],
  'cli.costReached': [
    'It has cost ${spent}, the limit is ${limit}: stopped. lathe run --resume last goes on.',
    '已花费 ${spent} 美元，上限为 ${limit} 美元：已停止。可用 lathe run --resume last 继续。',
  ],
  'cli.costUnknown': [
    'The price of this model is not known, so --max-cost cannot be kept: stopped.',
    '此模型的价格未知，无法遵守 --max-cost：已停止。',
  ],
  'cli.progress.waiting': ['Waiting for {model}…', '正在等待 {model}…'],
  'cli.progress.thinking': ['Thinking… {count} {count|character|characters}', '正在思考… {count} 个字符'],
  'cli.progress.begins': ['{what}…', '{what}…'],
  'cli.progress.call': ['{what}… {count} {count|character|characters}', '{what}… {count} 个字符'],
  'cli.stopping': ['Stopping. Ctrl-C once more ends at once.', '正在停止。再按一次 Ctrl-C 立即结束。'],
  'cli.stopped': [
    'Stopped, and kept: lathe run --resume {taskId} "…" goes on.',
    '已停止并保留：可用 lathe run --resume {taskId} "…" 继续。',
  ],
  'cli.wrongFile': ['{path} is wrong:', '{path} 有误：'],
  'cli.unknownSetting': ['there is no setting {name}', '没有名为 {name} 的设置'],
  'cli.wrongVariable': [
    '{variable} is {word}. It takes one of: {words}',
    '{variable} 的值为 {word}，可用的值：{words}',
  ],
  'cli.noTaskHere': ['There is no task in this folder yet.', '此文件夹中还没有任务。'],
  'cli.noTask': [
    'There is no task {word}. lathe tasks lists those of this folder.',
    '没有任务 {word}。lathe tasks 会列出此文件夹的任务。',
  ],
  'cli.severalTasks': [
    'More than one task begins with {word}: say more of its id.',
    '不止一个任务以 {word} 开头：请写出更多位 ID。',
  ],
  'cli.nothingToResume': [
    'Task {taskId} has come to its end. Say what is to be done: lathe run --resume {taskId} "…"',
    '任务 {taskId} 已结束。请说明接下来要做什么：lathe run --resume {taskId} "…"',
  ],
  'cli.finished.refusal': ['The model refused to go on.', '模型拒绝继续。'],
} as const satisfies Record<string, readonly [string, string]>;
