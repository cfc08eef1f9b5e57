/** The words of single tools: their verbs, what they ask, and what their cards show. */
export const toolStrings = {
  'webview.tool.generate_image.base': ['Make the picture', '生成图片'],
  'webview.tool.generate_image.active': ['Making the picture', '正在生成图片'],
  'webview.tool.generate_image.done': ['Made the picture', '已生成图片'],
  'webview.tool.report_bug.base': ['Write a bug report', '编写错误报告'],
  'webview.tool.report_bug.active': ['Writing a bug report', '正在编写错误报告'],
  'webview.tool.report_bug.done': ['Wrote a bug report', '已编写错误报告'],
  'tools.ask.report': ['Save this bug report as a file?', '将这份错误报告保存为文件？'],
  'tools.ask.reportAt': [
    'Open the form at {address} with this bug report in it? You send it there yourself.',
    '在 {address} 打开已填入这份错误报告的表单？提交由您自己完成。',
  ],
  'why.report': ['A report is shown to you before anything is done with it.', '报告在处理之前会先给您看。'],
  'error.noPictures': [
    'The service of the profile “{name}” makes no pictures.',
    '配置“{name}”的服务不生成图片。',
  ],
  'vscode.arrivingTitle': ['{name}: a change is arriving', '{name}：更改正在到达'],
  'tools.pictureAt': ['The picture in {path}', '{path} 中的图片'],
} as const;
