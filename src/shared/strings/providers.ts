/** What a person reads when a model cannot be reached or does not answer. */
export const providerStrings = {
  'provider.badKey': [
    '{provider} did not accept the key (HTTP {status}). Check or replace it in Settings (without the editor: LATHE_API_KEY); the task was kept.',
    '{provider} 未接受密钥（HTTP {status}）。请在设置中检查或更换（不使用编辑器时：LATHE_API_KEY）；任务已保留。',
  ],
  'provider.unusableKey': [
    'The key for {provider} holds characters that no key can have, such as a line break or a full-width letter. Paste it again in Settings (without the editor: LATHE_API_KEY).',
    '{provider} 的密钥包含不可能出现的字符，例如换行或全角字母。请在设置中重新粘贴（不使用编辑器时：LATHE_API_KEY）。',
  ],
  'provider.forbidden': [
    '{provider} does not let this key use {model} (HTTP {status}): {reason}. Choose another model, or a key that may use it.',
    '{provider} 不允许此密钥使用 {model}（HTTP {status}）：{reason}。请选择其他模型，或换用有权限的密钥。',
  ],
  'provider.noCredit': [
    '{provider} says that the account has no credit left (HTTP {status}). Add credit or choose another model, then retry.',
    '{provider} 表示账户余额不足（HTTP {status}）。请充值或选择其他模型，然后重试。',
  ],
  'provider.unknownModel': [
    '{provider} has no model {model} (HTTP {status}). Choose another model or correct its name in Settings.',
    '{provider} 没有模型 {model}（HTTP {status}）。请在设置中选择其他模型或更正名称。',
  ],
  'provider.wrongAddress': [
    'There is no model service at {url} (HTTP {status}). Check the address in Settings; most end with /v1.',
    '{url} 处没有模型服务（HTTP {status}）。请在设置中检查地址；大多以 /v1 结尾。',
  ],
  'provider.tooLong': [
    'The conversation is longer than {model} can take. Start a new task, or choose a model with a larger window.',
    '对话长度超出 {model} 的上限。请新建任务，或选择上下文窗口更大的模型。',
  ],
  'provider.rateLimit': [
    '{provider} limits how fast requests may come (HTTP 429). If waiting does not help, choose another model.',
    '{provider} 限制了请求速率（HTTP 429）。如果等待后仍未恢复，请选择其他模型。',
  ],
  'provider.rateLimitLong': [
    '{provider} wants no request for {minutes} {minutes|minute|minutes} (HTTP 429). Retry then, or choose another model.',
    '{provider} 要求 {minutes} 分钟内不再请求（HTTP 429）。请届时重试，或选择其他模型。',
  ],
  'provider.overloaded': [
    '{provider} cannot answer just now (HTTP {status}). If waiting does not help, choose another model.',
    '{provider} 暂时无法响应（HTTP {status}）。如果等待后仍未恢复，请选择其他模型。',
  ],
  'provider.rejected': [
    '{provider} rejected the request (HTTP {status}): {reason}. The task was kept: change the model or its settings and retry.',
    '{provider} 拒绝了请求（HTTP {status}）：{reason}。任务已保留：请更改模型或其设置后重试。',
  ],
  'provider.proxy': [
    'The proxy between here and {url} refused: {reason}. Check HTTPS_PROXY and HTTP_PROXY, with the name and password in them, then retry.',
    '通往 {url} 的代理拒绝了请求：{reason}。请检查 HTTPS_PROXY 和 HTTP_PROXY 及其中的用户名和密码，然后重试。',
  ],
  'provider.unreachable': [
    'Nothing answers at {url} ({reason}). Check that the service runs and the address is right, then retry.',
    '{url} 没有响应（{reason}）。请确认服务正在运行且地址正确，然后重试。',
  ],
  'provider.broken': [
    'The connection to {provider} broke in the middle of the answer ({reason}). What had come was kept. Retry, or choose another model.',
    '与 {provider} 的连接在回答中途断开（{reason}）。已收到的内容已保留。请重试，或选择其他模型。',
  ],
  'provider.notRunning': [
    'Nothing answers at {url}. Start {provider} (is it installed and running?), then retry.',
    '{url} 没有响应。请启动 {provider}（是否已安装并在运行？），然后重试。',
  ],
  'provider.certificate': [
    'The certificate of {url} is not trusted ({reason}). Check the address; behind a company proxy, add its certificate to the system or to NODE_EXTRA_CA_CERTS.',
    '{url} 的证书不受信任（{reason}）。请检查地址；如使用公司代理，请将其证书添加到系统或 NODE_EXTRA_CA_CERTS。',
  ],
  'provider.empty': [
    '{provider} sent an empty answer. Retry; if it stays so, check the address {url} and the kind of service in Settings.',
    '{provider} 返回了空的回答。请重试；如仍出现，请在设置中检查地址 {url} 和服务类型。',
  ],
  'provider.stalled': [
    '{provider} sent nothing for {seconds} {seconds|second|seconds}. What had come was kept. Retry, or choose another model.',
    '{provider} 已有 {seconds} 秒没有发送数据。已收到的内容已保留。请重试，或选择其他模型。',
  ],
  'provider.badAnswer': [
    '{provider} sent an answer that could not be understood: {reason}. Retry; if it stays so, check the address and the kind of service in Settings.',
    '{provider} 的响应无法解析：{reason}。请重试；如仍出现，请在设置中检查地址和服务类型。',
  ],
  'provider.noKey': [
    '{provider} needs a key. Add it in Settings (without the editor: LATHE_API_KEY).',
    '{provider} 需要密钥。请在设置中添加（不使用编辑器时：LATHE_API_KEY）。',
  ],
  'provider.noModel': [
    'The editor offers no model {model} any more. Choose another one.',
    '编辑器不再提供模型 {model}。请选择其他模型。',
  ],
  'provider.filtered': [
    '{provider} refused what the conversation holds (HTTP {status}): {reason}. Put it in other words, start a new task, or choose another model.',
    '{provider} 拒绝了对话中的内容（HTTP {status}）：{reason}。请换一种说法、新建任务或选择其他模型。',
  ],
  'provider.page': [
    'A web page came from {url} instead of a model’s answer (HTTP {status}: {reason}). Check the address in Settings, and whether a proxy or a sign-in page stands in between.',
    '{url} 返回的是网页而不是模型的回答（HTTP {status}：{reason}）。请检查设置中的地址，以及是否有代理或登录页面。',
  ],
  'provider.editorOnly': [
    'The editor’s own models answer only inside VS Code. Set up another model: LATHE_PROVIDER, LATHE_MODEL, LATHE_API_KEY.',
    '编辑器自带的模型只能在 VS Code 中使用。请设置其他模型：LATHE_PROVIDER、LATHE_MODEL、LATHE_API_KEY。',
  ],
} as const satisfies Record<string, readonly [string, string]>;
