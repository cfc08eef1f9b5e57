import * as z from 'zod';

/** Task ids become folder names: a UUID or the like, never a path. */
export const taskIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
