/** Texts with names that the user chose: metadata of a call, or headers of its INVITE. */
export const NamedTexts = ({ texts }: { texts: Readonly<Record<string, string>> }) => (
  <ul class="named-texts">
    {Object.entries(texts).map(([name, text]) => (
      <li key={name}>
        <code>{name}</code> {text}
      </li>
    ))}
  </ul>
);
