/** Due dates of cards. A due date is a day, not a moment. */
export function isOverdue(due: string | undefined, now: Date): boolean {
  if (!due) {
    return false;
  }
  return new Date(due) < now;
}

/** "today", "tomorrow", "in 3 days", "2 days ago". */
export function relative(due: string, now: Date): string {
  const days = Math.round((new Date(due).getTime() - now.getTime()) / 86_400_000);
  if (days === 0) {
    return "today";
  }
  if (days === 1) {
    return "tomorrow";
  }
  return days > 0 ? `in ${days} days` : `${-days} days ago`;
}
