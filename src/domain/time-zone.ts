/** Whether this is the IANA name of a time zone that this machine knows, such as `Asia/Seoul`. */
export const isTimeZone = (name: string): boolean => {
  // Offsets such as +09:00 are understood as well, and are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
