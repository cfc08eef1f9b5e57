import * as z from 'zod';
import type { Image } from '../../shared/events.ts';
import { translate } from '../../shared/strings.ts';
import type { ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { pictureFile, savePicture, type PictureFile } from './pictureFile.ts';
import { pictureType } from './pictureType.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  prompt: z.string().trim().min(1),
  path: z.string().min(1),
  image: z.string().min(1).optional(),
});

interface PicturePlan {
  prompt: string;
  file: PictureFile;
  from?: ResolvedPath;
}

/** Bytes of a picture to start from. */
const LARGEST = 10 * 1024 * 1024;
const OTHERWISE = 'Go on without it, or draw an SVG with write_to_file.';

export class GenerateImageTool extends BaseTool<'generate_image', typeof schema, PicturePlan> {
  readonly name = 'generate_image';
  readonly schema = schema;
  override readonly verbatim = ['prompt'] as const;

  override isAvailable({ settings }: Pick<TaskContext, 'settings'>): boolean {
    return settings.imageProfile !== '';
  }

  describe(): ToolDescription {
    return {
      purpose: 'Have a picture made by an image model and save it, or one changed that is there.',
      parameters: {
        prompt: 'what it shall show; with image: what shall be changed',
        path: 'where it is saved: .png, .jpg or .webp, relative to the workspace',
        image: 'optional: a picture of the workspace to start from',
      },
      example:
        '<generate_image>\n<prompt>A lathe in one line, black on white, no text</prompt>\n<path>assets/lathe.png</path>\n</generate_image>',
    };
  }

  view({ path = '', prompt = '' }: Readonly<Record<string, string>>): ToolView {
    return {
      kind: 'other',
      subject: path === '' ? prompt : path,
      locations: path === '' ? [] : [{ path }],
    };
  }

  async prepare(
    { prompt, path, image }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<PicturePlan>> {
    if (!context.makePicture) throw new ToolError(`No image model is set up here. ${OTHERWISE}`);
    const { file, edit } = await pictureFile(path, context);
    const from = image === undefined ? undefined : await context.resolve(image.trim(), 'read');
    return {
      actions: [
        edit,
        ...(from
          ? [
              {
                type: 'read' as const,
                path: from.real,
                insideWorkspace: from.insideWorkspace,
                protected: from.protected,
              },
            ]
          : []),
      ],
      plan: { prompt, file, ...(from ? { from } : {}) },
    };
  }

  async execute({ prompt, file, from }: PicturePlan, context: TaskContext): Promise<ToolResponse> {
    const { makePicture, signal, host } = context;
    if (!makePicture) throw new ToolError(`No image model is set up here. ${OTHERWISE}`);
    const start = from === undefined ? undefined : await pictureIn(from, context);
    const result = await makePicture(
      { prompt, mediaType: file.mediaType, ...(start ? { from: start } : {}) },
      signal,
    );
    if ('error' in result)
      throw new ToolError(
        `The picture was not made: ${translate('en', result.error.message)} Nothing was written. ${OTHERWISE}`,
      );
    const mediaType = pictureType(result.bytes);
    if (mediaType === undefined)
      throw new ToolError(`What the image model sent is no picture. Nothing was written. ${OTHERWISE}`);
    const words = await savePicture(file, result.bytes, host.files, 'picture');
    const note =
      mediaType === file.mediaType
        ? ''
        : ` The service made it ${mediaType}: its name says something else, and some programs will not open it so.`;
    return {
      content: `${words}${note} It is shown to the person; to look at it yourself, use read_file.`,
      details: {
        type: 'picture',
        path: file.resolved.shown,
        mediaType,
        data: Buffer.from(result.bytes).toString('base64'),
      },
    };
  }
}

async function pictureIn({ real, shown }: ResolvedPath, { host, signal }: TaskContext): Promise<Image> {
  try {
    const { bytes } = await host.files.read(real, { limit: LARGEST, signal });
    const mediaType = pictureType(bytes);
    if (mediaType === undefined)
      throw new ToolError(`'${shown}' is no picture to start from. Send a .png, .jpg or .webp, or none.`);
    return { mediaType, data: Buffer.from(bytes).toString('base64') };
  } catch (error) {
    throw await asToolError(error, shown, real, host.files);
  }
}
