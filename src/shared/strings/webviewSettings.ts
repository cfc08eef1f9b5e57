/** What a person reads of what goes without asking, the rules that were kept, a command's verdict, and the program itself. */
export const webviewSettingsStrings = {
  // What goes without asking
  'webview.scope.kind': ['What', '操作'],
  'webview.scope.workspace': ['Inside', '工作区内'],
  'webview.scope.outside': ['Outside', '工作区外'],
  'webview.scope.protected': ['Protected', '受保护'],
  'webview.scope.asks': ['asks', '询问'],
  'webview.scope.text': [
    'What is ticked goes ahead without asking; all else asks. Inside and outside mean the workspace. Protected are the editor’s and Lathe’s own settings, git, CI and the like, and files that may hold secrets.',
    '勾选的操作无需询问即可执行，其余均会询问。受保护的文件包括编辑器与 Lathe 自身的设置、git、CI 等，以及可能含有机密的文件。',
  ],
  'webview.scope.cell': ['{kind}, {scope}: without asking', '{kind}，{scope}：无需询问'],
  'webview.kind.delete': ['Deleting files', '删除文件'],
  'webview.kind.command': ['Running commands', '运行命令'],
  'webview.kind.command.what': [
    'Unless a rule allows it and the sandbox runs it',
    '除非有规则允许并在沙箱中运行',
  ],
  'webview.kind.mcp.what': ['Unless the tool itself is allowed', '除非该工具本身已被允许'],
  'webview.kind.mcp': ['Tools of MCP servers', 'MCP 服务器的工具'],

  // Rules
  'webview.rules.allowed': ['Always allowed', '始终允许'],
  'webview.rules.denied': ['Always denied', '始终拒绝'],
  'webview.rules.noneAllowed': [
    'Nothing yet. What you approve always is listed here.',
    '暂无。您“始终批准”的内容会列在此处。',
  ],
  'webview.rules.noneDenied': [
    'Nothing yet. What you reject always is listed here; it beats what is allowed.',
    '暂无。您“始终拒绝”的内容会列在此处，并优先于允许的内容。',
  ],
  'webview.rules.revoked': ['Taken back: {rule}', '已撤销：{rule}'],
  'webview.rules.everywhere': ['in every workspace', '在所有工作区'],

  // A command's verdict
  'webview.explain': ['Check a command', '检查命令'],
  'webview.explain.text': [
    'Type a command to see whether it would run by itself here, would ask, or is refused, and which part of it decides. Nothing is run.',
    '输入一条命令，查看它在此处会自动运行、需要确认还是被拒绝，以及由哪一部分决定。不会运行任何内容。',
  ],
  'webview.explain.command': ['Command', '命令'],
  'webview.explain.button': ['Check', '检查'],
  'webview.explain.running': ['Reading the command…', '正在解析命令…'],
  'webview.explain.parts': ['Its parts', '组成部分'],
  'webview.explain.more': ['{count} more', '还有 {count} 个部分'],
  'webview.verdict.auto': ['Runs by itself', '自动运行'],
  'webview.verdict.ask': ['Asks you', '需要您确认'],
  'webview.verdict.deny': ['Is refused', '被拒绝'],

  // About
  'webview.about': ['About Lathe', '关于 Lathe'],
  'webview.about.text': [
    'A coding agent for this editor. It sends nothing anywhere but to the model that you chose, and keeps no statistics.',
    '为此编辑器打造的编程代理。除您选择的模型外，它不会向任何地方发送内容，也不收集统计数据。',
  ],
  'webview.about.version': ['Version', '版本'],
  'webview.about.license': ['Licence', '许可证'],
  'webview.about.editor': ['Editor', '编辑器'],
  'webview.about.system': ['System', '系统'],
  'webview.about.data': ['Tasks and settings', '任务与设置'],
  'webview.about.dataText': [
    'Everything that Lathe keeps is in this folder; keys are in the editor’s secret store.',
    'Lathe 保存的一切都在此文件夹中；密钥存放在编辑器的密钥存储中。',
  ],
  'webview.about.openData': ['Open the folder', '打开文件夹'],
  'webview.about.read': ['To read', '阅读'],
  'webview.about.readme': ['What Lathe does', 'Lathe 能做什么'],
  'webview.about.walkthrough': ['Walkthrough', '入门引导'],
  'webview.about.changelog': ['What is new', '更新内容'],
  'webview.about.licenseText': ['Text of the licence', '许可证全文'],
  'webview.about.notices': ['Work of others in it', '第三方声明'],
  'webview.about.source': ['Source code', '源代码'],
  'webview.about.report': ['Report a bug', '报告问题'],
  'webview.about.reportText': [
    'Say what you did, what you expected and what happened instead, and add these details. The log names files and commands: read it before you pass it on.',
    '请说明您做了什么、期望什么以及实际发生了什么，并附上这些信息。日志中含有文件名和命令：转交前请先阅读。',
  ],
  'webview.about.copyDetails': ['Copy details', '复制信息'],
  'webview.about.showLog': ['Show the log', '查看日志'],
  'webview.about.openIssues': ['Open the list of bugs', '打开问题列表'],

  // First start
  'webview.nothingFound': [
    'No model was found on this machine. Start Ollama, LM Studio, llama.cpp or vLLM and look again, or add the key of a service.',
    '在本机上没有找到模型。请启动 Ollama、LM Studio、llama.cpp 或 vLLM 后重新查找，或添加某项服务的密钥。',
  ],
  'webview.lookAgain': ['Look again', '重新查找'],
  'webview.moreFound': ['{count} more', '还有 {count} 个'],

  // History
  'webview.filterWorkspace': ['Workspace', '工作区'],
  'webview.thisWorkspace': ['Here', '此工作区'],
  'webview.allWorkspaces': ['Everywhere', '所有工作区'],
  'webview.noTasksAnywhere': ['No tasks yet.', '还没有任务。'],
  'webview.resumeTask': ['Resume', '继续'],
} as const satisfies Record<string, readonly [string, string]>;
