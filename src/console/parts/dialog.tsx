import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** The browser's own modal dialog, open as long as it is there. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  title: string;
  /** Absent for a dialog that cannot be left without an answer. */
  onClose?: () => void;
  children: ComponentChildren;
}) => {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};
