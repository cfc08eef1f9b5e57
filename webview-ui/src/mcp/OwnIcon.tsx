/** What a server or a tool draws of itself, beside its name; nothing where it draws nothing. */
export function OwnIcon({ address }: { address: string | undefined }): React.JSX.Element | null {
  if (address === undefined) return null;
  return <img className="own-icon" src={address} alt="" width={16} height={16} data-testid="own-icon" />;
}
