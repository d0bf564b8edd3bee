import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

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
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // A dialog that is closed gives the focus back to what opened it; one that is only removed loses it.
    return () => current?.close();
  }, []);
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
