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
} as const;
