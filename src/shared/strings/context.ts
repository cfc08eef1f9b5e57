/** What a person reads of condensing. */
export const contextStrings = {
  'context.full': [
    'The conversation takes about {tokens} tokens, {model} takes {window}, and condensing did not make enough room. Nothing was sent. Choose a model with a larger window, send less at once, or start a new task.',
    '对话约占 {tokens} 个 token，而 {model} 最多接受 {window} 个，压缩后空间仍不足。未发送任何内容。请选择上下文窗口更大的模型、减少一次发送的内容，或新建任务。',
  ],
  'context.nothing': ['There is nothing to condense yet.', '目前没有可压缩的内容。'],
  'context.failed': ['The conversation was not condensed and stays as it was.', '对话未被压缩，保持原样。'],
  'context.cut': [
    'The summary was cut off before its end, so the conversation was not condensed and stays as it was. Let the model give longer answers, or try again.',
    '摘要在结束前被截断，因此对话未被压缩，保持原样。请允许模型给出更长的回答，或重试。',
  ],
  'context.empty': [
    'The model gave no summary, so the conversation was not condensed and stays as it was. Try again, or choose another model.',
    '模型没有给出摘要，因此对话未被压缩，保持原样。请重试，或选择其他模型。',
  ],
  'context.noShrink': [
    'A summary would have saved next to nothing, so the conversation stays as it was.',
    '摘要几乎不会节省空间，因此对话保持原样。',
  ],
  'context.condense': ['Condense the conversation', '压缩对话'],
  'context.condensing': ['Condensing the conversation…', '正在压缩对话…'],
  'context.condensesSoon': ['Condenses before the next request', '将在下次请求前压缩'],
  'context.condensed': ['Condensed: {before} → {after} tokens', '已压缩：{before} → {after} 个 token'],
  'context.trimmed': [
    'Old tool results shortened for the model: {before} → {after} tokens',
    '已为模型缩短较早的工具结果：{before} → {after} 个 token',
  ],
  'webview.tool.condense.base': ['Condense the conversation', '压缩对话'],
  'webview.tool.condense.active': ['Condensing the conversation', '正在压缩对话'],
  'webview.tool.condense.done': ['Condensed the conversation', '已压缩对话'],
} as const satisfies Record<string, readonly [string, string]>;
