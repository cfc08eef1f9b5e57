import assert from 'node:assert/strict';
import { approvalOptions } from '../../src/core/approval/approvalOptions.ts';
import { decideCall } from '../../src/core/approval/decide.ts';
import { approvalPolicySchema, type Action } from '../../src/shared/approvals.ts';
import { addressOf, pointOf, siteOf, sizeOf } from '../../src/core/tools/browserParameters.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';

type Browse = Extract<Action, { type: 'browse' }>;

const browse = (more: Partial<Browse>): Browse => ({
  type: 'browse',
  url: 'https://docs.test/',
  site: 'docs.test',
  place: 'public',
  granted: false,
  afterUntrusted: false,
  ...more,
});
const site = { type: 'site', site: 'docs.test' } as const;
const bounds = { workspace: '/w' };

describe('what approval says of the browser', () => {
  const policies = {
    none: {},
    automatic: { auto: { browser: true } },
    'site allowed': { allow: [site] },
    'site denied': { auto: { browser: true }, deny: [site] },
    all: { auto: { all: true } },
  };
  const actions = {
    new: browse({}),
    granted: browse({ granted: true, afterUntrusted: true }),
    'after a page': browse({ afterUntrusted: true }),
    local: browse({ place: 'loopback' }),
    private: browse({ place: 'private' }),
    'private, granted': browse({ place: 'private', granted: true }),
  };

  it('a table of it: deny wins, private networks always ask, what a page may have wished asks', () => {
    const table = Object.fromEntries(
      Object.entries(actions).map(([name, action]) => [
        name,
        Object.values(policies).map((policy) => {
          const { verdict, why, dangerous } = decideCall(
            [action],
            approvalPolicySchema.parse(policy),
            bounds,
          );
          return [
            verdict,
            ...why.map(({ key }) => key.slice('why.'.length)),
            ...(dangerous ? ['!'] : []),
          ].join(' ');
        }),
      ]),
    );
    const asks = 'ask browse';
    const network = 'ask privateNetwork !';
    const denied = 'deny denied !';
    assert.deepEqual(table, {
      //                   none     automatic              site allowed  site denied  all
      new: [asks, 'allow', 'allow', denied, 'allow'],
      granted: ['allow', 'allow', 'allow', denied, 'allow'],
      'after a page': [asks, 'ask afterUntrusted', 'allow', denied, 'allow'],
      local: [asks, 'allow', 'allow', denied, 'allow'],
      private: [network, network, network, denied, 'allow'],
      'private, granted': ['allow', 'allow', 'allow', denied, 'allow'],
    });
  });

  it('always and never are kept for the site; for a private network there is only never', () => {
    const kinds = (action: Action): unknown[] =>
      approvalOptions([action], decideCall([action], approvalPolicySchema.parse({}), bounds), '/w').map(
        ({ kind, rule }) => (rule ? [kind, rule] : kind),
      );
    assert.deepEqual(kinds(actions.new), [
      'allow_once',
      ['allow_always', site],
      'reject_once',
      ['reject_always', site],
    ]);
    assert.deepEqual(kinds(actions.private), ['allow_once', 'reject_once', ['reject_always', site]]);
  });
});

describe('what a call of browser_action says', () => {
  const tried = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      if (error instanceof ToolError) return 'refused';
      throw error;
    }
  };

  it('addresses with and without a scheme, and the site of each', () => {
    const read = (text: string): unknown =>
      tried(() => {
        const url = addressOf(text, 'launch');
        return `${url.href} ${siteOf(url)}`;
      });
    assert.deepEqual(
      [
        'http://localhost:3000/a?b#c',
        'localhost:3000',
        'localhost',
        '127.0.0.1:8080/x',
        '[::1]:8080',
        'my-host:9000/y',
        'www.example.com/docs',
        'https://www.example.com:443/',
        ' HTTP://Example.com ',
        'https://example.com.evil.test/',
        'https://example.com@evil.test/',
        'mailto:a@b.test',
        'about:blank',
        '//example.com',
        '/etc/passwd',
        'http://exa mple.com',
        '\u0000http://a.test',
      ].map(read),
      [
        'http://localhost:3000/a?b#c localhost:3000',
        'http://localhost:3000/ localhost:3000',
        'http://localhost/ localhost',
        'http://127.0.0.1:8080/x 127.0.0.1:8080',
        'http://[::1]:8080/ [::1]:8080',
        'http://my-host:9000/y my-host:9000',
        'https://www.example.com/docs example.com',
        'https://www.example.com/ example.com',
        'http://example.com/ example.com',
        'https://example.com.evil.test/ example.com.evil.test',
        'refused',
        'refused',
        'refused',
        'refused',
        'refused',
        'refused',
        'refused',
      ],
    );
  });

  it('points and sizes as models write them', () => {
    const size = { width: 900, height: 600 };
    assert.deepEqual(
      [
        '450,300',
        ' [ 450 , 300 ] ',
        '(450, 300)',
        '450 300',
        '450x300',
        '450.4,299.6',
        '900,600@1800x1200',
        '10',
        '1,2,3',
        '1e3,2',
        'NaN,1',
        '901,1',
      ].map((text) => tried(() => Object.values(pointOf(text, 'click', size)).join(','))),
      [...Array<string>(7).fill('450,300'), ...Array<string>(5).fill('refused')],
    );
    assert.deepEqual(
      ['1280,800', '1280x800', '[1280, 800]', '199,800', '1280', '2001,800', ''].map((text) =>
        tried(() => Object.values(sizeOf(text)).join(',')),
      ),
      ['1280,800', '1280,800', '1280,800', 'refused', 'refused', 'refused', 'refused'],
    );
  });
});
