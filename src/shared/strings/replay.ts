/** Going through a recorded task again, on the command line. */
export const replayStrings = {
  'replay.task': ['Replaying “{title}” ({taskId})', '正在重放“{title}”（{taskId}）'],
  'replay.noJournal': [
    '{name} is neither a task’s journal nor a task that was exported as JSON. Make one with: lathe show <task> --json',
    '{name} 既不是任务日志，也不是导出为 JSON 的任务。可用以下命令导出：lathe show <任务> --json',
  ],
  'replay.cannotRead': ['{name} cannot be read: {reason}', '无法读取 {name}：{reason}'],
  'replay.part.journal': ['journal', '日志'],
  'replay.part.request': ['request', '请求'],
  'replay.part.answer': ['answer', '回答'],
  'replay.part.call': ['call', '调用'],
  'replay.part.end': ['end', '结束'],
  'replay.part.view': ['view', '显示'],
  'replay.verdict.same': ['same', '一致'],
  'replay.verdict.differs': ['differs', '不一致'],
  'replay.verdict.unknown': ['not compared', '未比较'],
  'replay.outcome': ['recorded {recorded}, now {replayed}', '记录为 {recorded}，现在为 {replayed}'],
  'replay.same': [
    'The same: {requests} {requests|request|requests}, {answers} {answers|answer|answers}, {calls} {calls|call|calls}.',
    '全部一致：{requests} 次请求，{answers} 条回答，{calls} 次调用。',
  ],
  'replay.unknown': [
    '{count} {count|step|steps} could not be compared: the journal was written by an earlier version, which kept less.',
    '有 {count} 个步骤无法比较：日志由旧版本写入，保存的内容较少。',
  ],
  'replay.differs.journal': [
    'It differs at entry #{seq} ({of}): it does not belong where it stands. Entries before it are missing, or it was changed.',
    '在条目 #{seq}（{of}）处不一致：该条目不应在此处。之前的条目缺失，或者该条目被改动过。',
  ],
  'replay.damaged': [
    '{count} {count|line is|lines are} damaged: what stood there is not what was written.',
    '有 {count} 行已损坏：其内容与写入时不同。',
  ],
  'replay.differs.request': [
    'It differs at entry #{seq}: the request does not render as it was sent. What is new in it are the entries {of}: one of them was changed, or this version renders them in another way.',
    '在条目 #{seq} 处不一致：请求的内容与当时发送的不同。其中新增的是条目 {of}：其中之一被改动过，或者此版本以不同方式生成请求。',
  ],
  'replay.differs.answer': [
    'It differs at entry #{seq}: the model’s answer is not read as it was then ({of}).',
    '在条目 #{seq} 处不一致：对模型回答的解析结果与当时不同（{of}）。',
  ],
  'replay.differs.call': [
    'It differs at entry #{seq}: the call of {of} does not come to its outcome.',
    '在条目 #{seq} 处不一致：对 {of} 的调用得不到当时的结果。',
  ],
  'replay.differs.end': [
    'It differs at entry #{seq}: the task did not end with these words.',
    '在条目 #{seq} 处不一致：任务结束时的内容与此不同。',
  ],
  'replay.differs.view': [
    'It differs at the end: what is shown of the task is not the same ({of}).',
    '在末尾处不一致：任务显示的内容不同（{of}）。',
  ],
  'replay.recorded': ['recorded: {text}', '记录：{text}'],
  'replay.replayed': ['now:      {text}', '现在：{text}'],
  'replay.more': ['{count} more {count|step differs|steps differ}.', '另有 {count} 个步骤不一致。'],
} satisfies Record<string, readonly [string, string]>;
