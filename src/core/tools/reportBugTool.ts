import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { diffDetails } from '../diff/unified.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { redact } from './redact.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { encode } from './textFile.ts';

const schema = z.object({ title: z.string().trim().min(1), description: z.string().trim().min(1) });

interface ReportPlan {
  /** `# title`, then the description and the facts. */
  report: string;
  path: string;
}

/** Characters of a report in an address: browsers and servers take no longer ones. */
const LONGEST_IN_ADDRESS = 5000;
const LONGEST_TITLE = 200;
const LONGEST = 60_000;

export class ReportBugTool extends BaseTool<'report_bug', typeof schema, ReportPlan> {
  readonly name = 'report_bug';
  readonly schema = schema;
  override readonly verbatim = ['title', 'description'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Write a report on a bug of this agent itself, when the person wants one; not for bugs of the project. The person reads it first, and sends it or not: nothing is sent by this call.',
      parameters: {
        title: 'one line',
        description: 'what happened, what should have, and the steps to it; no secrets, no private code',
      },
      example:
        '<report_bug>\n<title>Search stops at a broken link</title>\n<description>…</description>\n</report_bug>',
    };
  }

  view({ title = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'other', subject: title, locations: [] };
  }

  prepare(
    { title, description }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<ReportPlan>> {
    const { host, artifactsFolder, cwd, mode, origin } = context;
    const places = { home: host.system.home, workspace: cwd };
    const heading = title.replace(/\s+/g, ' ').slice(0, LONGEST_TITLE);
    const facts = [
      `- Lathe ${host.reports?.version ?? '(version not known)'}`,
      `- ${host.system.platform} ${process.arch}, Node ${process.versions.node}, shell ${host.system.shell}`,
      `- Mode ${mode.slug}; calls in ${origin === 'xml' ? 'XML' : 'native form'}`,
    ];
    const text = `# ${heading}\n\n${description.slice(0, LONGEST)}\n\n## Where\n\n${facts.join('\n')}\n`;
    const report = redact(text, places);
    const path = join(artifactsFolder, `bug-report-${randomUUID().slice(0, 8)}.md`);
    const address = host.reports?.form?.address;
    return Promise.resolve({
      actions: [{ type: 'report', ...(address === undefined ? {} : { address }) }],
      plan: { report, path },
      details: diffDetails('bug-report.md', null, report),
      // The person's own words, where they change it, are what is kept and opened.
      proposal: { path, shown: 'bug-report.md', before: null, after: report },
    });
  }

  async execute(
    { report, path }: ReportPlan,
    { host }: TaskContext,
    _progress: ToolProgress,
    edited?: string,
  ): Promise<ToolResponse> {
    const text = edited ?? report;
    const form = host.reports?.form;
    const details = diffDetails('bug-report.md', null, text);
    if (form && (await form.open(prefilled(form.address, text))))
      return {
        content:
          'The form is open in the browser of the person, with the report in it. They send it there, or not: nothing was sent.',
        details,
      };
    try {
      await host.files.write(path, encode({ text, bom: false }), null);
    } catch (error) {
      throw await asToolError(error, path, path, host.files);
    }
    return {
      content: `The report is saved in ${path}. Nothing was sent. Tell the person where it is.`,
      details,
    };
  }
}

/** The address of a form with the report in it; the end of what is too long is left out, and said to be. */
function prefilled(address: string, text: string): string {
  const url = new URL(address);
  if (/\/issues\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/new`;
  const [first = '', ...rest] = text.split('\n');
  const body = rest.join('\n').trim();
  url.searchParams.set('title', first.replace(/^#\s*/, ''));
  url.searchParams.set(
    'body',
    body.length > LONGEST_IN_ADDRESS ? `${body.slice(0, LONGEST_IN_ADDRESS)}\n\n(cut: it was longer)` : body,
  );
  return url.href;
}
