/** Strings with user-defined names: metadata of a call, headers of its INVITE. */
export const NamedTexts = ({ texts }: { texts: Readonly<Record<string, string>> }) => (
  <ul class="named-texts">
    {Object.entries(texts).map(([name, text]) => (
      <li key={name}>
        <code>{name}</code> {text}
      </li>
    ))}
  </ul>
);
