import { answerCalls } from '../threads/answerCalls.ts';
import type { Language } from './languages.ts';
import { outlineOf } from './Syntax.ts';

/** The one text to parse. */
export interface DefinitionsRequest {
  language: Language;
  text: string;
  /** Milliseconds that parsing may take. */
  limit: number;
}

answerCalls((request) => {
  const { language, text, limit } = request as DefinitionsRequest;
  return outlineOf(language, text, limit);
});
