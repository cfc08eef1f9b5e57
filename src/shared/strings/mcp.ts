/** MCP servers: what is wrong with one, and the way out. */
export const mcpStrings = {
  'why.mcp': ['Calls of MCP servers ask.', '调用 MCP 服务器需要确认。'],
  'why.mcpChanged': [
    'The server has changed {tool} since you agreed to it.',
    '自您同意以来，服务器已更改了 {tool}。',
  ],
  'webview.tool.use_mcp_tool.base': ['Use MCP tool', '使用 MCP 工具'],
  'webview.tool.use_mcp_tool.active': ['Using MCP tool', '正在使用 MCP 工具'],
  'webview.tool.use_mcp_tool.done': ['Used MCP tool', '已使用 MCP 工具'],
  'webview.tool.access_mcp_resource.base': ['Read MCP resource', '读取 MCP 资源'],
  'webview.tool.access_mcp_resource.active': ['Reading MCP resource', '正在读取 MCP 资源'],
  'webview.tool.access_mcp_resource.done': ['Read MCP resource', '已读取 MCP 资源'],
  'webview.ask.mcp.call': [
    'Call the tool {target} of the MCP server {server} with these arguments?',
    '使用以下参数调用 MCP 服务器 {server} 的工具 {target}？',
  ],
  'webview.ask.mcp.read': [
    'Read the resource {target} of the MCP server {server}?',
    '读取 MCP 服务器 {server} 的资源 {target}？',
  ],
  'webview.mcp.arguments': ['Arguments', '参数'],
  'webview.rule.mcp.call': ['Call {tool} of {server}', '调用 {server} 的 {tool}'],
  'webview.rule.mcp.read': ['Read resources of {server}', '读取 {server} 的资源'],
  'mcp.config.notJson': [
    'The file is not JSON ({reason}). No server of it was started; mend it and save it.',
    '该文件不是有效的 JSON（{reason}）。其中的服务器均未启动，请修正并保存。',
  ],
  'mcp.config.noServers': [
    'The file has no list of servers. It should be {"mcpServers": {"name": {"command": "…"}}}.',
    '该文件没有服务器列表，应为 {"mcpServers": {"名称": {"command": "…"}}}。',
  ],
  'mcp.config.badEntry': [
    'The entry of “{server}” cannot be used ({reason}). The other servers are not affected.',
    '“{server}” 的配置无法使用（{reason}）。其他服务器不受影响。',
  ],
  'mcp.config.noTarget': [
    'The entry of “{server}” needs a command, or a url, and a type of stdio, http or sse.',
    '“{server}” 的配置需要 command 或 url，类型须为 stdio、http 或 sse。',
  ],
  'mcp.config.unreadable': ['The file could not be read ({reason}).', '无法读取该文件（{reason}）。'],
  'mcp.config.missingVariable': [
    'These variables have no value: {names}. Set them where Lathe is started, or change the entry.',
    '以下变量没有值：{names}。请在启动 Lathe 的环境中设置，或修改配置。',
  ],
  'mcp.unavailable': ['MCP servers are not available here.', '此处无法使用 MCP 服务器。'],
  'mcp.signInFailed': ['You were not signed in: {reason}', '登录未完成：{reason}'],
  'mcp.entry.noName': ['The server needs a name.', '请填写服务器名称。'],
  'mcp.entry.taken': [
    'There is a server named “{server}” already. Choose another name, or change that one.',
    '已存在名为“{server}”的服务器。请换一个名称，或修改现有服务器。',
  ],
  'mcp.entry.unknown': [
    'There is no server named “{server}” in a file any more. The list was read again.',
    '配置文件中已没有名为“{server}”的服务器，列表已重新读取。',
  ],
  'mcp.entry.badText': [
    'The entry is not JSON ({reason}). Nothing was saved.',
    '该配置不是有效的 JSON（{reason}），未保存。',
  ],
  'mcp.entry.notJson': [
    'The file {path} is not JSON ({reason}). Nothing was changed; open it and mend it first.',
    '文件 {path} 不是有效的 JSON（{reason}），未作更改。请先打开并修正该文件。',
  ],
  'mcp.entry.notWritten': [
    'The file {path} could not be changed ({reason}).',
    '无法更改文件 {path}（{reason}）。',
  ],
  'mcp.entry.notYours': [
    '“{server}” belongs to the project: its calls can be made automatic only when one asks.',
    '“{server}” 属于项目：只能在调用请求确认时将其设为自动。',
  ],
  'mcp.entry.notConfirmed': [
    'Nothing was saved: you did not agree to what it would start.',
    '未保存：您没有同意它将启动的内容。',
  ],
  'mcp.prompt.missing': [
    '/{prompt} needs {names}. Write it so: {usage}',
    '/{prompt} 需要 {names}。写法：{usage}',
  ],
  'mcp.prompt.failed': ['/{prompt} could not be had: {reason}', '无法获取 /{prompt}：{reason}'],
  'mcp.prompt.unknown': [
    'The MCP server {server} has no prompt for /{prompt} now. It has: {names}',
    'MCP 服务器 {server} 目前没有 /{prompt}。现有：{names}',
  ],
  'mention.resourceOff': [
    '{mention} was not read: the MCP server {server} does not run. Start it on the screen of the MCP servers.',
    '未读取 {mention}：MCP 服务器 {server} 未运行。请在 MCP 服务器界面中启动它。',
  ],
  'composer.group.resources': ['Resources of MCP servers', 'MCP 服务器的资源'],
  'composer.group.prompts': ['Prompts of MCP servers', 'MCP 服务器的提示词'],
  'composer.group.values': ['Values', '可选值'],
  'mcp.problem.connect': ['It could not be reached: {reason}', '无法连接：{reason}'],
  'mcp.problem.ended': ['It ended: {reason}', '服务器已退出：{reason}'],
  'mcp.problem.leftOut': [
    '“{name}” was left out of {list}: {reason}.',
    '“{name}” 已从 {list} 中略去：{reason}。',
  ],
  'mcp.problem.endless': [
    '{list} did not come to an end; only its first pages are used.',
    '{list} 没有结束，只使用了前几页。',
  ],
  'mcp.problem.list': ['{list} could not be read: {reason}', '无法读取 {list}：{reason}'],
  'mcp.problem.toolsChanged': [
    'These tools are not what you agreed to: {names}.',
    '以下工具与您同意时不同：{names}。',
  ],
  'vscode.mcp.mayRun': [
    'Let the MCP server {server} run this program?',
    '允许 MCP 服务器 {server} 运行此程序？',
  ],
  'vscode.mcp.mayReach': ['Let the MCP server {server} be reached?', '允许连接 MCP 服务器 {server}？'],
  'vscode.mcp.mayChange': [
    'Agree to the changed tools of the MCP server {server}?',
    '同意 MCP 服务器 {server} 已更改的工具？',
  ],
  'vscode.mcp.allow': ['Allow', '允许'],
  'vscode.mcp.asks': ['The MCP server {server} asks:', 'MCP 服务器 {server} 询问：'],
  'vscode.mcp.answer': ['Answer', '回答'],
  'vscode.mcp.decline': ['Decline', '拒绝'],
  'vscode.mcp.openPage': ['Open the Page', '打开页面'],
  'vscode.mcp.signIn': [
    'The MCP server {server} wants you to sign in at {host}.',
    'MCP 服务器 {server} 要求您在 {host} 登录。',
  ],
  'vscode.mcp.notOpened': ['the page was not opened', '页面未打开'],
  'vscode.mcp.yes': ['Yes', '是'],
  'vscode.mcp.no': ['No', '否'],
  'vscode.mcp.required': ['This is needed.', '此项必填。'],
  'vscode.mcp.number': ['This must be a number.', '此项必须是数字。'],
  'vscode.mcp.range': ['From {least} to {most}.', '范围：{least} 到 {most}。'],
  'vscode.mcp.length': ['From {least} to {most} characters.', '长度：{least} 到 {most} 个字符。'],
} as const;
