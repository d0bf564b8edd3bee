import type { ComponentChildren } from 'preact';

/** A state such as `active.talking.conversing`, which breaks into lines after its dots. */
export const StateName = ({ text }: { text: string }) => (
  <>
    {text
      .split('.')
      .flatMap((part, index): ComponentChildren[] => (index === 0 ? [part] : ['.', <wbr />, part]))}
  </>
);
