/** Returns a URL as it is audited: without its query, which may contain a secret. */
export const auditedUrl = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.origin}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`;
};
