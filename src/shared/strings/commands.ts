/** Why a command may not run by itself, or at all. `{text}`, `{path}` and the like are pieces of the command. */
export const commandStrings = {
  'command.empty': ['There is nothing to run.', '没有可运行的内容。'],
  'command.hidden': ['It holds characters that cannot be seen: {text}', '其中含有不可见的字符：{text}'],
  'command.tooLong': [
    'It is {length} characters long; more than {limit} are too many to look at.',
    '它有 {length} 个字符；超过 {limit} 个便难以看清。',
  ],
  'command.carriageReturn': [
    'It holds a carriage return, which shells and terminals read differently.',
    '其中含有回车符，各种 shell 与终端对它的理解不同。',
  ],
  'command.notAscii': [
    '{text} may look like other characters than it is.',
    '{text} 看起来可能与实际字符不同。',
  ],
  'command.syntax': ['It cannot be read without doubt.', '无法毫无疑义地解析它。'],
  'command.disagree': ['Two grammars read it in two ways.', '两种语法对它的理解不同。'],
  'command.shell': ['A command for {shell} always asks.', '交给 {shell} 的命令始终需要确认。'],
  'command.substitution': ['{text} is the output of another command.', '{text} 是另一条命令的输出。'],
  'command.variable': ['{text} is only known when it runs.', '{text} 的值要到运行时才知道。'],
  'command.pattern': [
    '{text} may stand for files that cannot be foreseen.',
    '{text} 可能代表无法预见的文件。',
  ],
  'command.braces': ['{text} may stand for several words.', '{text} 可能代表多个词。'],
  'command.tilde': ['{text} stands for a folder of a person.', '{text} 代表某个用户的文件夹。'],
  'command.quote': ['{text} is written with codes instead of characters.', '{text} 是用编码而非字符写成的。'],
  'command.assignment': ['{text} changes the environment of what runs.', '{text} 会改变所运行程序的环境。'],
  'command.background': ['& would leave it running in the background.', '& 会让它留在后台运行。'],
  'command.compound': ['{text} is more than a row of plain commands.', '{text} 不只是一串普通命令。'],
  'command.redirect': ['{text} reads or writes a file.', '{text} 会读取或写入文件。'],
  'command.redirectProtected': [
    '{path} is protected: no command may write its output there.',
    '{path} 受保护：任何命令都不得把输出写到那里。',
  ],
  'command.hereDocument': ['{text} feeds text to a program.', '{text} 会把文本输入给程序。'],
  'command.comment': ['It holds a comment.', '其中含有注释。'],
  'command.continuation': ['A line goes on in the next one.', '有一行延续到了下一行。'],
  'command.characters': ['{text} means more than itself in {shell}.', '{text} 在 {shell} 中另有含义。'],
  'command.denied': ['You have denied {rule}.', '您已拒绝 {rule}。'],
  'command.allowed': ['You have allowed {rule}.', '您已允许 {rule}。'],
  'command.notAllowed': ['No rule allows {program}.', '没有规则允许 {program}。'],
  'command.program': ['{program} is not the plain name of a program.', '{program} 不是单纯的程序名。'],
  'command.builtin': [
    '{program} changes the shell itself and what runs after it.',
    '{program} 会改变 shell 本身以及其后运行的内容。',
  ],
  'command.noModel': [
    'What {program} does with other arguments is not known: only the exact command that you allowed is automatic.',
    '无法得知 {program} 会如何处理其他参数：只有您允许的那条命令才会自动运行。',
  ],
  'command.runsOthers': [
    '{program} can run other programs or write files: only the exact command that you allowed is automatic.',
    '{program} 可以运行其他程序或写入文件：只有您允许的那条命令才会自动运行。',
  ],
  'command.never': ['{program} always asks.', '{program} 始终需要确认。'],
  'command.piped': ['{program} takes its input from another command.', '{program} 的输入来自另一条命令。'],
  'command.optionRuns': ['{option} of {program} runs a program.', '{program} 的 {option} 会运行一个程序。'],
  'command.optionWrites': ['{option} of {program} changes files.', '{program} 的 {option} 会更改文件。'],
  'command.optionUnknown': [
    '{option} of {program} is not known to be harmless.',
    '无法确定 {program} 的 {option} 是无害的。',
  ],
  'command.operand': [
    '{operand} is more than {program} may be given by itself.',
    '{operand} 超出了 {program} 可自动接受的范围。',
  ],
} as const satisfies Record<string, readonly [string, string]>;
