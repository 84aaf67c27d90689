export const WINGS: Readonly<Record<string, readonly string[]>>;
export function withPicture(document: string): string;
export function picture(allowed: Readonly<Record<string, readonly string[]>>): string;
