import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  PermissionOption,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { Action, ApprovalDecision, ApprovalOption, ApprovalRequest } from '../../shared/approvals.ts';
import { message, translate, type Locale, type StringKey } from '../../shared/strings.ts';

type Question = Extract<ApprovalRequest, { reason: 'question' }>;

export function permissionOptions(options: readonly ApprovalOption[], locale: Locale): PermissionOption[] {
  return options.map(({ id, kind, rule }) => ({
    optionId: id,
    kind,
    name: translate(locale, message(wordsOf(kind, rule?.type))),
  }));
}

function wordsOf(kind: ApprovalOption['kind'], rule: string | undefined): StringKey {
  switch (kind) {
    case 'allow_once':
      return 'acp.allow';
    case 'reject_once':
      return 'acp.reject';
    case 'allow_always':
      if (rule === 'file' || rule === 'folder' || rule === 'command') return `acp.allow.${rule}`;
      return 'acp.allow.kind';
    case 'reject_always':
      return rule === 'file' || rule === 'command' ? `acp.reject.${rule}` : 'acp.reject.always';
  }
}

/** What is asked about that no file and no title shows whole: a note, and the one that it takes the place of. */
export function textsOf(actions: readonly Action[], locale: Locale): string[] {
  return actions.flatMap((action) =>
    action.type === 'note'
      ? [
          `${translate(locale, message(`notes.ask.${action.operation}`))}\n\n${action.text}`,
          ...(action.before === undefined
            ? []
            : [`${translate(locale, message('notes.ask.before'))}\n\n${action.before}`]),
        ]
      : [],
  );
}

/** What the client's answer means. Only an option that was offered, and allows, is a yes; undefined when the turn was cancelled. */
export function permissionDecision(
  { outcome }: RequestPermissionResponse,
  options: readonly ApprovalOption[],
): ApprovalDecision | undefined {
  if (outcome.outcome === 'cancelled') return undefined;
  const option = options.find(({ id }) => id === outcome.optionId);
  const allows = option?.kind === 'allow_once' || option?.kind === 'allow_always';
  return {
    outcome: allows ? 'allow' : 'reject',
    by: 'client',
    ...(option ? { optionId: option.id } : {}),
  };
}

/** A question as a form: one of the suggestions, or an answer of one's own. */
export function questionForm(
  { question, suggestions, callId }: Question,
  { sessionId, locale }: { sessionId: string; locale: Locale },
): CreateElicitationRequest {
  const own = { type: 'string' as const, title: translate(locale, message('acp.answer')) };
  const choice = {
    type: 'string' as const,
    title: translate(locale, message('acp.suggestion')),
    oneOf: suggestions.map(({ text }, index) => ({ const: String(index + 1), title: text })),
  };
  return {
    mode: 'form',
    sessionId,
    toolCallId: callId,
    message: question,
    requestedSchema:
      suggestions.length === 0
        ? { type: 'object', properties: { answer: own }, required: ['answer'] }
        : { type: 'object', properties: { choice, answer: own } },
  };
}

/** The answer of a form; undefined when there is none. */
export function questionDecision(
  response: CreateElicitationResponse,
  { suggestions }: Question,
): ApprovalDecision | undefined {
  if (response.action !== 'accept') return undefined;
  const content = (response as { content?: Record<string, unknown> | null }).content ?? {};
  const own = typeof content.answer === 'string' ? content.answer.trim() : '';
  if (own !== '') return { outcome: 'allow', by: 'person', feedback: own };
  const picked = suggestions[Number(content.choice) - 1];
  if (!picked) return undefined;
  const mode = picked.mode === undefined ? {} : { mode: picked.mode };
  return { outcome: 'allow', by: 'person', feedback: picked.text, ...mode };
}

/** A question for a client without forms: it is read as text and answered with the next prompt. */
export function questionText({ question, suggestions }: Question): string {
  return [question, ...suggestions.map(({ text }, index) => `${index + 1}. ${text}`)].join('\n');
}
