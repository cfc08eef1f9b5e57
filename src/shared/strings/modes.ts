/** Modes, slash commands and rules that files define: what is wrong with one, and the screen that shows them. */
export const modesStrings = {
  'webview.tool.fetch_instructions.base': ['Read instructions', '读取说明：'],
  'webview.tool.fetch_instructions.active': ['Reading instructions', '正在读取说明：'],
  'webview.tool.fetch_instructions.done': ['Read instructions', '已读取说明：'],
  'webview.tool.run_slash_command.base': ['Run command', '运行斜杠命令'],
  'webview.tool.run_slash_command.active': ['Running command', '正在运行斜杠命令'],
  'webview.tool.run_slash_command.done': ['Ran command', '已运行斜杠命令'],
  'modes.problem.syntax': [
    'This cannot be read ({reason}). Modes that are written correctly still work.',
    '无法读取此处内容（{reason}）。书写正确的模式仍然可用。',
  ],
  'modes.problem.noList': [
    'There is no list of modes here. The file begins with “customModes:” and a list below it.',
    '此处没有模式列表。文件应以“customModes:”开头，并在其下列出模式。',
  ],
  'modes.problem.noMode': [
    'This is no mode: it needs at least slug, name, roleDefinition and groups.',
    '这不是一个模式：至少需要 slug、name、roleDefinition 和 groups。',
  ],
  'modes.problem.missing': ['The mode “{mode}” has no {field}.', '模式“{mode}”缺少 {field}。'],
  'modes.problem.field': [
    'The mode “{mode}” cannot be used: {field}: {reason}.',
    '模式“{mode}”无法使用：{field}：{reason}。',
  ],
  'modes.problem.slug': [
    'The slug “{mode}” has other characters than letters, digits and dashes.',
    'slug“{mode}”包含字母、数字和连字符以外的字符。',
  ],
  'modes.problem.group': [
    'The mode “{mode}” names a group that there is none of. Groups are: {groups}; or a pair of a group and its fileRegex.',
    '模式“{mode}”使用了不存在的工具组。可用的组有：{groups}；也可以写成组与其 fileRegex 的组合。',
  ],
  'modes.problem.groupTwice': [
    'The mode “{mode}” names the group {group} twice. It is not clear which of the two holds.',
    '模式“{mode}”重复列出了组 {group}，无法确定以哪一个为准。',
  ],
  'modes.problem.expression': [
    'The fileRegex of the mode “{mode}” is no regular expression: {reason}',
    '模式“{mode}”的 fileRegex 不是有效的正则表达式：{reason}',
  ],
  'modes.problem.twice': [
    'The slug “{mode}” is used in line {line} already; this one does not count.',
    'slug“{mode}”已在第 {line} 行使用，此处不生效。',
  ],
  'modes.problem.tooMany': [
    'Only the first {count} modes of a file are used.',
    '每个文件仅使用前 {count} 个模式。',
  ],
  'modes.problem.unreadable': ['The file cannot be read: {reason}', '无法读取该文件：{reason}'],
  'modes.error.broken': [
    'The file cannot be read as it is, and was not changed. Mend what is marked there first.',
    '该文件目前无法读取，因此未作更改。请先修正其中标出的问题。',
  ],
  'modes.error.taken': [
    'There is a mode “{mode}” there already. Nothing was changed; choose another slug.',
    '此处已有名为“{mode}”的模式，未作任何更改。请换一个 slug。',
  ],
  'modes.error.changed': [
    'The mode “{mode}” is not what it was when you looked at it. Look again.',
    '模式“{mode}”已与您查看时不同，请重新查看。',
  ],
  'modes.error.noProject': [
    'The files of this workspace do not count: no folder is open, or it is not trusted. Nothing was changed.',
    '此工作区的文件不生效：没有打开文件夹，或工作区未受信任。未作任何更改。',
  ],
  'modes.error.unwritten': [
    'The file could not be written and is as it was: {reason}',
    '无法写入该文件，文件保持原样：{reason}',
  ],
  'modes.error.unknownRule': ['There is no such file of rules any more.', '该规则文件已不存在。'],
  'rules.tooLong': [
    'Longer than {limit} bytes: the model is told its name and reads it when it needs it.',
    '超过 {limit} 字节：只告知模型文件名，由模型在需要时读取。',
  ],
  'rules.passedOver': ['Not given to the model: {reason}', '未提供给模型：{reason}'],
  'slash.problem.head': [
    'The head between the two lines of --- cannot be read ({reason}). The command works without it.',
    '无法读取两行 --- 之间的头部（{reason}）。命令仍可使用，但忽略头部。',
  ],
  'slash.problem.empty': ['The file has no words for the command to stand for.', '该文件没有命令内容。'],
  'slash.problem.name': [
    'The file’s name has no letters or digits that could be written behind a slash.',
    '文件名中没有可写在斜杠后的字母或数字。',
  ],
} as const;
