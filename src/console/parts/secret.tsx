import { useEffect, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';

/** Time in milliseconds for which the button shows that copying succeeded. */
const copiedMs = 2_000;

/** Copies text by the clipboard API on localhost and over https, and by the old copy command elsewhere. */
const putOnClipboard = async (text: string): Promise<void> => {
  // Despite its type, `clipboard` is undefined in pages served over plain http from another machine.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard !== undefined) return clipboard.writeText(text);
  const holder = document.createElement('textarea');
  holder.value = text;
  document.body.append(holder);
  holder.select();
  document.execCommand('copy');
  holder.remove();
};

/** Button that copies a secret. `read` may be asynchronous if the secret has to be fetched from the gateway. */
export const CopyButton = ({ read }: { read: () => string | Promise<string> }) => {
  const t = texts.value.shell;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await putOnClipboard(await read());
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
