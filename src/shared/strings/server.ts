/** What `lathe serve` tells its clients. */
export const serverStrings = {
  'server.notBase64': [
    'The data of the attachment {name} is not base64.',
    '附件 {name} 的 data 不是 base64。',
  ],
  'server.notText': [
    'The attachment {name} is neither a picture nor UTF-8 text.',
    '附件 {name} 既不是图片，也不是 UTF-8 文本。',
  ],
  'server.noEditor': [
    'That takes an editor, and there is none behind this page.',
    '此操作需要编辑器，而此页面背后没有编辑器。',
  ],
  'server.rebuilt': [
    '{count} {count|session is|sessions are} in the database again.',
    '数据库中已重新写入 {count} 个会话。',
  ],
  'server.queueFull': [
    '{count} {count|message waits|messages wait} in this session already. Send it again when some are answered.',
    '此会话中已有 {count} 条消息在等待。请在部分消息得到回答后重新发送。',
  ],
  'server.interrupted': [
    'The server ended in the middle of this answer. Another message goes on from there.',
    '服务器在回答途中结束。再发一条消息即可继续。',
  ],
  'server.noDatabase': [
    'The database {address} cannot be used: {reason}. Nothing was begun. Check the address, the user and the password of --database, and that PostgreSQL runs.',
    '无法使用数据库 {address}：{reason}。尚未开始任何操作。请检查 --database 的地址、用户和密码，以及 PostgreSQL 是否正在运行。',
  ],
  'server.stoppedBefore': ['The task was stopped before this was taken.', '任务在处理此请求之前已被停止。'],
  'server.noServer': [
    'No server took this within a minute. Nothing of it was begun. Try again, and look whether the servers and their database run.',
    '一分钟内没有服务器接手此请求，尚未开始任何操作。请重试，并检查各服务器及其数据库是否在运行。',
  ],
} as const;
