/** What waits for the person's yes. */
export const approvalStrings = {
  'approval.allReads': ['Approve all {count} reads', '批准全部 {count} 次读取'],
  'approval.ask.look': ['Look into this?', '查看此处？'],
  'approval.mcp.parts': ['What came with it', '随附内容'],
  'approval.rejectAlways': ['Reject always', '始终拒绝'],
  'approval.never.command': ['Never run: {command}', '永不运行：{command}'],
  'approval.never.read': ['Never read {path}', '永不读取 {path}'],
  'approval.never.edit': ['Never change {path}', '永不更改 {path}'],
  'approval.never.other': ['Never: {rule}', '永不：{rule}'],
} as const;
