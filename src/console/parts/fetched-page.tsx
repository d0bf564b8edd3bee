/** A page whose script is fetched when somebody comes to it, so that the first page is sent small. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { fetchPart } from '../fetched-part.ts';
import { Loading } from './page.tsx';

/** `name` is that of the part, `fetch` brings the page. */
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
