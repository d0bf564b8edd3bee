import { useEffect, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';

/** How long the button says that it worked. */
const copiedMs = 2_000;

/** `read` may have to ask the gateway first. */
export const CopyButton = ({ read }: { read: () => string | Promise<string> }) => {
  const t = texts.value.shell;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(await read());
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? t.copied : t.copy}</span>
    </button>
  );
};

/** A secret that is shown once. */
export const Secret = ({ label, value, onDone }: { label: string; value: string; onDone?: () => void }) => {
  const t = texts.value.shell;
  return (
    <div class="secret" role="group" aria-label={label}>
      <b>{label}</b>
      <code>{value}</code>
      <p class="hint">{t.once}</p>
      <div class="buttons">
        <CopyButton read={() => value} />
        {onDone !== undefined && (
          <button type="button" onClick={onDone}>
            {t.done}
          </button>
        )}
      </div>
    </div>
  );
};
