import { answerCalls } from '../../../services/threads/answerCalls.ts';
import { loadGrammars } from './grammars.ts';
import { judgeCommand, type CommandRules } from './judgeCommand.ts';

/** The one command to judge. */
export interface JudgeRequest {
  command: string;
  rules: CommandRules;
}

answerCalls(async (request) => {
  const { command, rules } = request as JudgeRequest;
  return judgeCommand(command, rules, await loadGrammars());
});
