import type { Interface } from 'node:readline/promises';
import type { Agent } from '../../core/Agent.ts';
import type { Action, ApprovalDecision, ApprovalRequest } from '../../shared/approvals.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { printable } from './printable.ts';

export interface TerminalOptions {
  agent: Agent;
  locale: Locale;
  status: (text: string) => void;
  /** Asks at the terminal; undefined when nobody is there. */
  terminal: Interface | undefined;
}

/** Asks the person at the terminal. Without one the core has refused already. */
export async function answerAtTerminal(request: ApprovalRequest, options: TerminalOptions): Promise<void> {
  const { agent, terminal, locale, status } = options;
  if (!terminal) return;
  const respond = async (decision: ApprovalDecision): Promise<void> => {
    await agent.dispatcher.call('approval/respond', {
      taskId: request.taskId,
      approvalId: request.id,
      decision,
    });
  };
  try {
    switch (request.reason) {
      case 'tool': {
        for (const why of request.why) status(`${translate(locale, why)}\n`);
        for (const action of request.actions) status(`  ${action.type}: ${printable(objectOf(action))}\n`);
        if (request.details?.type === 'mcp' && request.details.arguments !== undefined)
          status(`${printable(request.details.arguments)}\n`);
        if (request.details?.type === 'subtask') status(`${printable(request.details.message)}\n`);
        // The question takes the place of a line without its end.
        if (request.details?.type === 'diff') status(`${printable(request.details.patch).trimEnd()}\n`);
        const said = (await terminal.question(translate(locale, message('cli.approve')))).trim();
        if (/^y(es)?$/i.test(said)) await respond({ outcome: 'allow', by: 'person' });
        else
          await respond({
            outcome: 'reject',
            by: 'person',
            ...(/^n?o?$/i.test(said) ? {} : { feedback: said }),
          });
        break;
      }
      case 'question': {
        status(`${printable(request.question)}\n`);
        for (const [index, { text }] of request.suggestions.entries())
          status(`  ${index + 1}. ${printable(text)}\n`);
        const said = (await terminal.question('> ')).trim();
        const picked = request.suggestions[Number(said) - 1];
        await respond({
          outcome: 'allow',
          by: 'person',
          feedback: picked?.text ?? said,
          ...(picked?.mode ? { mode: picked.mode } : {}),
        });
        break;
      }
      case 'request_failed':
      case 'mistake_limit':
      case 'completion': {
        const said = (await terminal.question(translate(locale, message('cli.goOn')))).trim();
        await respond({ outcome: /^y(es)?$/i.test(said) ? 'allow' : 'reject', by: 'person' });
        break;
      }
    }
  } catch (error) {
    // The terminal went away (end of input): nobody is there to say yes.
    status(`${error instanceof Error ? error.message : String(error)}\n`);
    await respond({ outcome: 'cancelled', by: 'client' });
  }
}

function objectOf(action: Action): string {
  switch (action.type) {
    case 'command':
      return action.command;
    case 'switch_mode':
      return action.mode;
    case 'note':
      return `${action.operation} ${action.text}`;
    case 'browse':
      return action.url;
    case 'report':
      return action.address ?? '';
    case 'mcp':
      return `${action.server}: ${action.target}`;
    case 'read':
    case 'edit':
    case 'delete':
      return action.path;
  }
}
