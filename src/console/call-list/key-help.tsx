import { texts } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Help for the list's keyboard shortcuts. */
export const KeyHelp = ({ onClose }: { onClose: () => void }) => {
  const t = texts.value.callList.keys;
  const keys = [
    [['/'], t.search],
    [['j'], t.next],
    [['k'], t.previous],
    [['Enter'], t.open],
    [['?'], t.help],
  ] as const;
  return (
    <Dialog title={t.title} onClose={onClose}>
      <dl class="keys">
        {keys.map(([[key], does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="submit">
        <button type="button" class="primary" onClick={onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  );
};
