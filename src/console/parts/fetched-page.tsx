/** A page whose script is loaded on demand, to keep the initial download small. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { fetchPart } from '../fetched-part.ts';
import { Loading } from './page.tsx';

/** `name` is the name of the part; `fetch` loads the page. */
export const fetchedPage = <Props extends object>(
  name: string,
  fetch: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => {
  const fetched = signal<ComponentType<Props> | undefined>(undefined);
  const bring = async (): Promise<void> => {
    fetched.value = await fetchPart(name, fetch);
  };
  return (props) => {
    useEffect(() => {
      if (fetched.peek() === undefined) void bring();
    }, []);
    const Fetched = fetched.value;
    return Fetched === undefined ? <Loading /> : <Fetched {...props} />;
  };
};
