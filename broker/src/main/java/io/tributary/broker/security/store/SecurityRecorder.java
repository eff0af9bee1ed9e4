package io.tributary.broker.security.store;

/** Counts what happens around the store. Any thread; must be cheap. */
public interface SecurityRecorder {

    /** Counts nothing. */
    SecurityRecorder NONE = new SecurityRecorder() {
        @Override
        public void banned(Ban.Subject subject) {}

        @Override
        public void changed(ChangeResult result) {}

        @Override
        public void unauthorized() {}
    };

    /** A client was refused, for its ban. */
    void banned(Ban.Subject subject);

    /** Somebody asked this node for a change. */
    void changed(ChangeResult result);

    /** Somebody asked the API without the right token. */
    void unauthorized();
}
