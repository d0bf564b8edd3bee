/** Button that opens a file of this device. The browser's own field has texts in the browser's language. */
import { useRef } from 'preact/hooks';

export const OpenFile = ({
  label,
  accept,
  onOpen,
}: {
  label: string;
  accept: string;
  onOpen: (file: File) => Promise<void>;
}) => {
  const input = useRef<HTMLInputElement>(null);
  const take = async (field: HTMLInputElement): Promise<void> => {
    const file = field.files?.[0];
    // The same file can be chosen again after a change.
    field.value = '';
    if (file !== undefined) await onOpen(file);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        onChange={({ currentTarget }) => void take(currentTarget)}
      />
      <button type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
    </>
  );
};
