import type { ToolDetails } from '../../../src/shared/tools.ts';
import { useWords } from '../useSession.ts';

/** A picture that was made. */
export function PictureBody({
  details,
}: {
  details: Extract<ToolDetails, { type: 'picture' }>;
}): React.JSX.Element {
  const words = useWords();
  return (
    <img
      className="result-image"
      src={`data:${details.mediaType};base64,${details.data}`}
      alt={words('tools.pictureAt', { path: details.path })}
    />
  );
}
