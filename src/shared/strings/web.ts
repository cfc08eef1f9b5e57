/** What the web chat of `lathe serve` says that the sidebar in an editor does not. */
export const webStrings = {
  'web.newTask': ['New task', '新任务'],
  'web.ways': ['Tasks and settings', '任务与设置'],
  'web.disconnected': [
    'The server is not reached. What runs goes on there; trying again…',
    '无法连接服务器。正在运行的任务会在服务器上继续；正在重试…',
  ],
  'web.reconnect': ['Try now', '立即重试'],
  'web.notConnected': [
    'The server is not reached, so nothing was sent. Try again when the connection is back.',
    '无法连接服务器，未发送任何内容。请在连接恢复后重试。',
  ],
  'web.lost': [
    'The connection broke before the server answered. Look whether it was done before you try again.',
    '在服务器答复前连接中断。请先查看操作是否已完成，然后再重试。',
  ],
  'web.token': ['Token', '令牌'],
  'web.token.about': [
    'This server asks for its token. Whoever started it sees it there; this tab keeps it until it is closed.',
    '此服务器需要令牌。启动服务器的人可以在那里看到它；此标签页会保留令牌直到关闭。',
  ],
  'web.token.wrong': ['That is not the token of this server.', '这不是此服务器的令牌。'],
  'web.token.send': ['Open', '打开'],
  'web.wholeCall': ['Show all that the model wrote', '显示模型写的全部内容'],
  'web.diffCut': [
    'Only the beginning of a large change is shown as lines.',
    '更改较大，此处只按行显示开头部分。',
  ],
  'web.about.text': [
    'A coding agent. It sends nothing anywhere but to the model that was chosen, and keeps no statistics.',
    '编程代理。除所选的模型外，它不会向任何地方发送内容，也不收集统计数据。',
  ],
  'web.about.browser': ['Browser', '浏览器'],
  'web.about.data': [
    'Everything that Lathe keeps is in this folder of the server.',
    'Lathe 保存的一切都在服务器的此文件夹中。',
  ],
  'web.keyHint': [
    'A server keeps no keys: it takes one from its environment (LATHE_PROVIDER, LATHE_MODEL, LATHE_API_KEY). Local services need none.',
    '服务器不保存密钥：密钥取自其环境变量（LATHE_PROVIDER、LATHE_MODEL、LATHE_API_KEY）。本地服务无需密钥。',
  ],
} as const;
