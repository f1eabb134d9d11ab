import type { Page } from "playwright-core";

export const PASSWORD = "correct horse battery";

/** Somebody who may only look: the admin invites them, and hands on the link that the page shows once. */
export async function inviteViewer(admin: Page, email: string): Promise<string> {
  await admin.getByRole("button", { name: "Add somebody" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(email);
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const link = await dialog.getByRole("region", { name: "the invitation link" }).textContent();
  await dialog.getByRole("button", { name: "I have kept it" }).click();
  return link!.trim();
}

/** By the link of an invitation, up to the first page. */
export async function choosePassword(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByLabel("The same again").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
