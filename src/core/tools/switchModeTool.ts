import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ mode_slug: z.string().min(1), reason: z.string().optional() });
type SwitchPlan = z.infer<typeof schema>;

export class SwitchModeTool extends BaseTool<'switch_mode', typeof schema, SwitchPlan> {
  readonly name = 'switch_mode';
  readonly schema = schema;

  describe({ modes }: DescribeArguments): ToolDescription {
    return {
      purpose: 'Go on in another mode, when the task needs what this one does not allow.',
      parameters: {
        mode_slug: `one of: ${modes.map(({ slug }) => slug).join(', ')}`,
        reason: 'optional, one sentence for the person',
      },
      example:
        '<switch_mode>\n<mode_slug>code</mode_slug>\n<reason>The plan is agreed; now it is built.</reason>\n</switch_mode>',
    };
  }

  view({ mode_slug = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'switch_mode', subject: mode_slug, locations: [] };
  }

  prepare({ mode_slug, reason }: SwitchPlan, context: TaskContext): Promise<Preparation<SwitchPlan>> {
    const modes = context.modes.list();
    if (!modes.some(({ slug }) => slug === mode_slug)) {
      throw new ToolError(
        `There is no mode '${mode_slug.slice(0, 80)}'. The modes are: ${modes.map(({ slug }) => slug).join(', ')}.`,
      );
    }
    if (mode_slug === context.mode.slug)
      throw new ToolError(`This is ${context.mode.name} mode already. Go on with the task.`);
    return Promise.resolve({
      actions: [{ type: 'switch_mode', mode: mode_slug }],
      plan: { mode_slug, ...(reason === undefined ? {} : { reason }) },
    });
  }

  async execute({ mode_slug, reason }: SwitchPlan, context: TaskContext): Promise<ToolResponse> {
    await context.modes.switchTo(mode_slug, reason);
    return { content: `Now in ${mode_slug} mode.` };
  }
}
