import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { CallButton } from './call-button.tsx';

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <CallButton />
    </StrictMode>,
  );
}
