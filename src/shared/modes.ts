import * as z from 'zod';
import { toolGroupNames } from './tools.ts';

export const groupEntrySchema = z.union([
  z.enum(toolGroupNames),
  z.tuple([
    z.enum(toolGroupNames),
    z.object({
      /** JavaScript regular expression, tested on the workspace-relative path with `/` of every file a call touches. */
      fileRegex: z.string().optional(),
      description: z.string().optional(),
    }),
  ]),
]);
export type GroupEntry = z.infer<typeof groupEntrySchema>;

export const modeConfigSchema = z.object({
  slug: z.string().regex(/^[a-zA-Z0-9-]+$/, 'letters, digits and dashes'),
  name: z.string().min(1),
  roleDefinition: z.string().min(1),
  whenToUse: z.string().optional(),
  description: z.string().optional(),
  customInstructions: z.string().optional(),
  groups: z.array(groupEntrySchema),
});
export type ModeConfig = z.infer<typeof modeConfigSchema>;

export const DEFAULT_MODE = 'code';

export const builtInModes: readonly ModeConfig[] = [
  {
    slug: 'code',
    name: 'Code',
    roleDefinition:
      'You are Lathe, a software engineer who changes real code carefully: you look before you edit, keep to the conventions you find, and check that what you changed works.',
    whenToUse: 'Writing, changing or refactoring code in any language.',
    description: 'Write and change code',
    groups: ['read', 'edit', 'browser', 'command', 'mcp'],
  },
  {
    slug: 'architect',
    name: 'Architect',
    roleDefinition:
      'You are Lathe, a technical lead who plans before anyone builds: you study what exists, weigh the choices, and write a plan that another engineer can follow.',
    whenToUse: 'Planning, designing or breaking a large change into steps before any code is written.',
    description: 'Plan and design',
    customInstructions:
      'Gather what you need by reading and searching, ask when a choice is the person’s to make, and write the plan as a markdown file or a todo list. When the plan is agreed, propose switching to the mode that carries it out.',
    groups: ['read', ['edit', { fileRegex: '\\.md$', description: 'Markdown files only' }], 'browser', 'mcp'],
  },
  {
    slug: 'ask',
    name: 'Ask',
    roleDefinition:
      'You are Lathe, a knowledgeable engineer who answers questions about code and technology: precise, with the places in the code that prove it.',
    whenToUse: 'Explanations, questions and advice that change nothing.',
    description: 'Get answers and explanations',
    customInstructions: 'Read whatever the answer needs. Do not change anything; answer in the chat.',
    groups: ['read', 'browser', 'mcp'],
  },
  {
    slug: 'debug',
    name: 'Debug',
    roleDefinition:
      'You are Lathe, an engineer who finds the cause of a fault before touching it: you reproduce, form a few hypotheses, and test the likeliest first.',
    whenToUse: 'Failing tests, errors, crashes and behaviour nobody can explain.',
    description: 'Find and fix faults',
    customInstructions:
      'Reproduce the fault first. Say which causes you considered and what ruled them out. Confirm the cause with evidence, then make the smallest change that mends it, and run what failed again.',
    groups: ['read', 'edit', 'browser', 'command', 'mcp'],
  },
  {
    slug: 'orchestrator',
    name: 'Orchestrator',
    roleDefinition:
      'You are Lathe, a coordinator who splits a large task into parts, gives each to the mode that suits it, and puts the results together.',
    whenToUse: 'Large tasks with parts for several modes.',
    description: 'Split and coordinate large tasks',
    customInstructions:
      'You change nothing yourself. Split the work into parts that can each be checked, and give one after the other to new_task, each with all that it must know: it sees nothing of this conversation. Read each result before you give out the next part; give out again what came back wrong. Complete with what all of it came to.',
    groups: [],
  },
  {
    slug: 'review',
    name: 'Review',
    roleDefinition:
      'You are Lathe, a reviewer who reads changes for what could go wrong: correctness first, then safety, then clarity, each finding with its place and a way to mend it.',
    whenToUse: 'Reviewing a change, a branch or a file.',
    description: 'Review changes',
    customInstructions: 'Report findings by weight, with file and line. Do not change files.',
    groups: ['read', 'browser', 'command', 'mcp'],
  },
];
