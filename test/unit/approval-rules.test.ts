import assert from 'node:assert/strict';
import { approvalOptions } from '../../src/core/approval/approvalOptions.ts';
import { decide, decideCall, deniesReading, type Verdict } from '../../src/core/approval/decide.ts';
import {
  approvalPolicySchema,
  type Action,
  type ApprovalPolicy,
  type ApprovalRule,
} from '../../src/shared/approvals.ts';
import { message } from '../../src/shared/strings.ts';

describe('kept rules', () => {
  const workspace = '/ws';
  const edit = (path: string, more: Partial<Extract<Action, { type: 'edit' }>> = {}): Action => ({
    type: 'edit',
    path,
    insideWorkspace: true,
    protected: false,
    created: false,
    ...more,
  });
  const reading = (path: string): Action => ({ ...edit(path), type: 'read' }) as Action;
  const deleting = (path: string): Action => ({
    type: 'delete',
    path,
    insideWorkspace: true,
    protected: false,
  });
  const running = (text: string): Action => ({
    type: 'command',
    command: text,
    cwd: '/ws',
    insideWorkspace: true,
  });
  const file: ApprovalRule = { type: 'file', access: 'edit', path: '/ws/src/a.ts' };
  const folder: ApprovalRule = { type: 'folder', access: 'edit', path: '/ws/src' };
  const kind: ApprovalRule = { type: 'kind', kind: 'edit', workspace: '/ws' };
  const test: ApprovalRule = { type: 'command', command: 'npm test', cwd: '/ws' };

  const verdict = (action: Action, policy: Partial<ApprovalPolicy>): Verdict =>
    decide(action, approvalPolicySchema.parse(policy), { workspace });
  const allowed: Verdict = { verdict: 'allow', why: [], dangerous: false };
  const asks: Verdict = { verdict: 'ask', why: [message('why.kindAsks')], dangerous: false };
  const denied: Verdict = { verdict: 'deny', why: [message('why.denied')], dangerous: true };
  const asksForCommand: Verdict = { verdict: 'ask', why: [message('why.command')], dangerous: false };

  const rows: [string, Action, Partial<ApprovalPolicy>, Verdict][] = [
    ['an edit of the file', edit('/ws/src/a.ts'), { allow: [file] }, allowed],
    ['not of its neighbour', edit('/ws/src/a.tsx'), { allow: [file] }, asks],
    ['not a read of it', reading('/ws/src/a.ts'), { allow: [file], auto: { read: false } as never }, asks],
    ['below the folder', edit('/ws/src/deep/b.ts'), { allow: [folder] }, allowed],
    ['not beside the folder', edit('/ws/src-evil/b.ts'), { allow: [folder] }, asks],
    ['the kind, in this workspace', edit('/ws/x'), { allow: [kind] }, allowed],
    ['not in another', edit('/ws/x'), { allow: [{ ...kind, workspace: '/other' }] }, asks],
    ['deleting is no edit', deleting('/ws/src/a.ts'), { allow: [file, folder, kind] }, asks],
    ['nor automatic with edits', deleting('/ws/a'), { auto: { edit: true } as never }, asks],
    ['no command is automatic', running('npm test'), { allow: [test] }, asksForCommand],
    ['denied beats allowed', edit('/ws/src/a.ts'), { allow: [file, kind], deny: [folder] }, denied],
    ['denied beats automatic', edit('/ws/src/a.ts'), { auto: { edit: true } as never, deny: [file] }, denied],
    [
      'denied beats the standing yes',
      edit('/ws/src/a.ts'),
      { auto: { all: true } as never, deny: [file] },
      denied,
    ],
    [
      'a command denied under the standing yes',
      running('npm test'),
      { auto: { all: true } as never, deny: [test] },
      denied,
    ],
    ['with other blanks', running('  npm \t test\n'), { auto: { all: true } as never, deny: [test] }, denied],
    ['not another command', running('npm tests'), { auto: { all: true } as never, deny: [test] }, allowed],
    [
      'who may not edit may not delete',
      deleting('/ws/src/a.ts'),
      { auto: { all: true } as never, deny: [folder] },
      denied,
    ],
    ['the folder itself', deleting('/ws/src'), { auto: { all: true } as never, deny: [folder] }, denied],
    [
      'a rule does not reach a protected file',
      edit('/ws/.git/config', { protected: true }),
      { allow: [kind, { ...file, path: '/ws/.git/config' }], auto: { edit: true } as never },
      { verdict: 'ask', why: [message('why.protected', { path: '/ws/.git/config' })], dangerous: true },
    ],
    [
      'nor a place outside',
      edit('/etc/hosts', { insideWorkspace: false }),
      {
        allow: [
          { ...file, path: '/etc/hosts' },
          { ...folder, path: '/' },
        ],
        auto: { edit: true } as never,
      },
      { verdict: 'ask', why: [message('why.outsideWorkspace', { path: '/etc/hosts' })], dangerous: true },
    ],
  ];
  for (const [title, action, policy, whole] of rows)
    it(title, () => assert.deepEqual(verdict(action, policy), whole));

  it('a call is judged by the strictest of its actions, each reason once', () => {
    const policy = approvalPolicySchema.parse({ auto: { edit: true }, deny: [file] });
    const judge = (...actions: Action[]): Verdict => decideCall(actions, policy, { workspace });
    const outside = edit('/else/x', { insideWorkspace: false });
    const why = [message('why.outsideWorkspace', { path: '/else/x' })];
    assert.deepEqual(judge(), allowed);
    assert.deepEqual(judge(edit('/ws/b'), reading('/ws/c')), allowed);
    assert.deepEqual(judge(edit('/ws/b'), outside, outside), { verdict: 'ask', why, dangerous: true });
    assert.deepEqual(judge(outside, running('ls')), {
      verdict: 'ask',
      why: [...why, message('why.command')],
      dangerous: true,
    });
    assert.deepEqual(judge(outside, edit('/ws/src/a.ts'), reading('/ws/c')), denied);
  });

  it('reading that was denied is known for a file and all below a folder', () => {
    const never: ApprovalRule[] = [
      { type: 'file', access: 'read', path: '/ws/a' },
      { type: 'folder', access: 'read', path: '/ws/private' },
      { type: 'file', access: 'edit', path: '/ws/b' },
    ];
    const paths = ['/ws/a', '/ws/b', '/ws/private/x', '/ws/private', '/ws/private.md'];
    assert.deepEqual(
      paths.map((path) => deniesReading(path, never, workspace)),
      [true, false, true, true, false],
    );
  });
});

describe('what a person can answer', () => {
  const once = { id: 'allow_once', kind: 'allow_once' };
  const no = { id: 'reject_once', kind: 'reject_once' };
  const safe: Verdict = { verdict: 'ask', why: [], dangerous: false };
  const dangerous: Verdict = { ...safe, dangerous: true };
  const edit = (path: string): Action => ({
    type: 'edit',
    path,
    insideWorkspace: true,
    protected: false,
    created: false,
  });

  it('an edit: the file, its folder, the kind; never for the file', () => {
    const file = { type: 'file', access: 'edit', path: '/ws/src/a.ts' };
    assert.deepEqual(approvalOptions([edit('/ws/src/a.ts')], safe, '/ws'), [
      once,
      { id: 'allow_always_file', kind: 'allow_always', rule: file },
      {
        id: 'allow_always_folder',
        kind: 'allow_always',
        rule: { type: 'folder', access: 'edit', path: '/ws/src' },
      },
      {
        id: 'allow_always_kind',
        kind: 'allow_always',
        rule: { type: 'kind', kind: 'edit', workspace: '/ws' },
      },
      no,
      { id: 'reject_always_file', kind: 'reject_always', rule: file },
    ]);
  });

  it('a file at the root: no folder, that is the kind', () => {
    assert.deepEqual(
      approvalOptions([edit('/ws/a.ts')], safe, '/ws').map(({ id }) => id),
      ['allow_once', 'allow_always_file', 'allow_always_kind', 'reject_once', 'reject_always_file'],
    );
  });

  it('what is dangerous, and every command: once; never again is always offered', () => {
    const rule: ApprovalRule = { type: 'command', command: 'ls', cwd: '/ws' };
    const run: Action = { type: 'command', command: 'ls', cwd: '/ws', insideWorkspace: true };
    assert.deepEqual(approvalOptions([run], safe, '/ws'), [
      once,
      no,
      { id: 'reject_always_command', kind: 'reject_always', rule },
    ]);
    assert.deepEqual(
      approvalOptions([edit('/ws/.env')], dangerous, '/ws').map(({ id }) => id),
      ['allow_once', 'reject_once', 'reject_always_file'],
    );
  });

  it('several files: their kind; of several kinds: once', () => {
    const kind = { type: 'kind', kind: 'edit', workspace: '/ws' };
    assert.deepEqual(approvalOptions([edit('/ws/a'), edit('/ws/b')], safe, '/ws'), [
      once,
      { id: 'allow_always_kind', kind: 'allow_always', rule: kind },
      no,
    ]);
    const mixed: Action[] = [edit('/ws/a'), { type: 'switch_mode', mode: 'ask' }];
    assert.deepEqual(approvalOptions(mixed, safe, '/ws'), [once, no]);
  });

  it('a mode switch: its kind; a deletion: once', () => {
    assert.deepEqual(
      approvalOptions([{ type: 'switch_mode', mode: 'ask' }], safe, '/ws').map(({ id }) => id),
      ['allow_once', 'allow_always_kind', 'reject_once'],
    );
    assert.deepEqual(
      approvalOptions(
        [{ type: 'delete', path: '/ws/a', insideWorkspace: true, protected: false }],
        safe,
        '/ws',
      ),
      [once, no],
    );
  });
});
