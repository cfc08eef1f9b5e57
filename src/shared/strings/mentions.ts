/** Mentions in a message: why one could not be read, and what the composer offers. */
export const mentionStrings = {
  'mention.missing': [
    '{mention}: there is no such file or folder here, so only the words were sent.',
    '{mention}：此处没有这样的文件或文件夹，只发送了文字。',
  ],
  'mention.refused': ['{mention} was not read: {reason}', '未读取 {mention}：{reason}'],
  'mention.outside': [
    '{mention} lies outside of the workspace, so it was not sent. Lathe can ask you for it while it works.',
    '{mention} 位于工作区之外，因此未发送。Lathe 可在工作时向您请求读取。',
  ],
  'mention.secret': [
    '{mention} may hold keys or passwords, so it was not sent. Lathe can ask you for it while it works.',
    '{mention} 可能含有密钥或密码，因此未发送。Lathe 可在工作时向您请求读取。',
  ],
  'mention.denied': [
    '{mention} was not read: you denied reading it. Take the rule back in the settings to allow it.',
    '未读取 {mention}：您已禁止读取。可在设置中撤销该规则。',
  ],
  'mention.noSight': [
    '{mention} was not sent: this model does not see pictures. Choose one that does.',
    '未发送 {mention}：当前模型无法识别图片，请选择支持图片的模型。',
  ],
  'mention.blind': [
    'Your pictures were not sent: this model is not known to see. Choose one that does.',
    '未发送图片：未知当前模型能否识别图片，请选择支持图片的模型。',
  ],
  'mention.noSymbol': [
    '{mention}: no definition of that name was found in the file. Mention the file or its lines.',
    '{mention}：文件中没有这个名称的定义。请提及文件或具体行。',
  ],
  'mention.noEditor': [
    '{mention} is known in an editor only, and this task runs without one.',
    '{mention} 只能在编辑器中获取，而此任务没有编辑器。',
  ],
  'mention.noTerminal': [
    '{mention}: no terminal is open, or it is empty.',
    '{mention}：没有打开的终端，或终端为空。',
  ],
  'mention.git': ['{mention} was not read: git says “{reason}”.', '未读取 {mention}：git 提示“{reason}”。'],
  'mention.noRoom': [
    '{mention} was not sent: the model’s context has no room left for it. Condense the task, or mention a part.',
    '未发送 {mention}：模型上下文已没有空间。请压缩任务，或只提及一部分。',
  ],
  'mention.tooMany': [
    '{mention} was not sent: a message may mention {most} things. Send it in another one.',
    '未发送 {mention}：一条消息最多可提及 {most} 项。请在另一条消息中发送。',
  ],
  'mention.page.address': [
    '{mention} is no web address that can be fetched: it needs http or https, and no name or password in it.',
    '{mention} 不是可获取的网址：须为 http 或 https，且不含用户名或密码。',
  ],
  'mention.page.private': [
    '{mention} was not fetched: {detail} is a name for, or points on to, a private address. Write the address itself if you mean it.',
    '未获取 {mention}：{detail} 指向或跳转到私有地址。如确需访问，请直接写出该地址。',
  ],
  'mention.page.redirects': [
    '{mention} was not fetched: it points on more than {detail} times.',
    '未获取 {mention}：跳转超过 {detail} 次。',
  ],
  'mention.page.status': [
    '{mention} was not fetched: the server answered with status {detail}.',
    '未获取 {mention}：服务器返回状态 {detail}。',
  ],
  'mention.page.type': [
    '{mention} was not fetched: it is no text ({detail}).',
    '未获取 {mention}：内容不是文本（{detail}）。',
  ],
  'mention.page.time': [
    '{mention} was not fetched: no whole answer came within {detail} seconds. Check the address and send it again.',
    '未获取 {mention}：{detail} 秒内没有完整响应。请检查网址后重新发送。',
  ],
  'mention.page.proxy': [
    '{mention} was not fetched: the proxy before {detail} let nothing through, or did not answer. Check HTTPS_PROXY and HTTP_PROXY, with the name and password in them.',
    '未获取 {mention}：前往 {detail} 的代理拒绝了请求或没有响应。请检查 HTTPS_PROXY 和 HTTP_PROXY 及其中的用户名和密码。',
  ],
  'mention.page.plain': [
    '{mention} was not fetched: a proxy is asked for pages over https alone, and {detail} is plain http. Write an https address, or name the host in NO_PROXY if it is reached directly.',
    '未获取 {mention}：经代理只获取 https 页面，而 {detail} 是普通 http。请改用 https 网址；若可直接访问，请将该主机写入 NO_PROXY。',
  ],
  'mention.page.network': [
    '{mention} was not fetched: {detail} could not be reached. Check the address and your connection.',
    '未获取 {mention}：无法连接 {detail}。请检查网址与网络。',
  ],
} as const;
