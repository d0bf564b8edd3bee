import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** The browser's modal dialog, open while it is mounted. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  title: string;
  /** Called when the user closes the dialog. Absent for a dialog that requires an answer. */
  onClose?: () => void;
  children: ComponentChildren;
}) => {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // The dialog is closed before it is removed, because closing returns the focus to its opener; removing it without
    // closing would lose the focus.
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
